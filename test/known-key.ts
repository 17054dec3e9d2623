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
