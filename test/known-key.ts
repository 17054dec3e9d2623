import { expect } from 'vitest';
import type { Client } from './client.ts';
import { answerWithinSecond } from './until.ts';
import type { Running, Workspace } from './world.ts';

type KnownKey = {
  id: string;
  /** One for each service. */
  clients: Client[];
  /** What each service answers to the key now. */
  statuses: () => Promise<number[]>;
  /** What each answers once all refuse the key, or after the second that this may take. */
  lastStatuses: () => Promise<number[]>;
};

/** A key of the workspace's member that every service has answered to, and so has in its cache. */
export async function createKnownKey(
  { key, member }: Workspace,
  services: readonly Running[],
): Promise<KnownKey> {
  const { id, token } = await key(255, { user: member });
  const clients = services.map((service) => service.client(token));
  const statuses = () => Promise.all(clients.map(async (client) => (await client.get('/companies')).status));
  expect(await statuses()).toEqual(clients.map(() => 200));
  const refused = clients.map(() => 401);
  return {
    id,
    clients,
    statuses,
    async lastStatuses() {
      await answerWithinSecond(statuses, refused);
      return statuses();
    },
  };
}

/** Sends requests until one costs no look-up of the key: the cache is used only while PostgreSQL's notices arrive. */
export async function isCached(service: Pick<Running, 'origin'>, client: Client): Promise<void> {
  let before: string | undefined;
  const costsNothing = async () => {
    await client.get('/me');
    const after = await countLookUps(service);
    const same = after === before;
    before = after;
    return same;
  };
  // Metrics are reused for a quarter of a second.
  await expect.poll(costsNothing, { interval: 300 }).toBe(true);
}

async function countLookUps({ origin }: Pick<Running, 'origin'>): Promise<string | undefined> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return /^database_statement_duration_seconds_count\{statement="find live keys"\} (\d+)/m.exec(metrics)?.[1];
}
