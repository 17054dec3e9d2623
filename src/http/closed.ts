import type { ServerResponse } from 'node:http';

/**
 * Calls `act` when the answer has left the process or its client has gone; at once if that was before: whoever waited
 * for the database in between would never hear of it.
 */
export function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}
