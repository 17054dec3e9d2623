import { Agent } from 'node:http';
import { clientFor, type Client } from './client.ts';
import type { Running } from './world.ts';

// A service that stops would wait for the next request on connections that are kept alive.
const agent = new Agent({ keepAlive: false, maxSockets: 256 });

/** A client whose answers are not compared with the description: for tests of headers, which check them themselves. */
export function unjudged({ origin }: Pick<Running, 'origin'>, token: string): Client {
  return clientFor({ origin, token, agent, judge: () => {} });
}
