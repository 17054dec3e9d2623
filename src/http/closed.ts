import type { ServerResponse } from 'node:http';

/**
 * Calls `act` once the answer has left the process or its client has gone; at once if that has happened already,
 * because the event is not sent a second time.
 */
export function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}
