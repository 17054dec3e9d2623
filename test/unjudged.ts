import { Agent } from 'node:http';
import { clientFor, type Client } from './client.ts';
import type { Running } from './world.ts';

// Of connections kept alive, a service that stops would wait for the next request.
const agent = new Agent({ keepAlive: false, maxSockets: 256 });

/** A client whose answers are not held against the description: for tests of headers, which look for themselves. */
export function unjudged({ origin }: Pick<Running, 'origin'>, token: string): Client {
  return clientFor({ origin, token, agent, judge: () => {} });
}
