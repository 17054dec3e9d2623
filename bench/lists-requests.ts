import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { digestOf, newKey } from '../src/keys/key.ts';
import { Meter, usedBy } from './lists-cost.ts';
import { searchLine, SEARCHES, SEARCH_HEAD } from './lists-search.ts';
import { USER } from './lists-seed.ts';
import { startSide } from './processes.ts';

const PORT = 3_902;
const KUNDEBOK = fileURLToPath(new URL('../bin/kundebok', import.meta.url));

/**
 * Compares searches, as requests to a service with one connection, with a request for a company by number: processor
 * time of the service and of PostgreSQL, as lines of a table. `only` selects the searches.
 */
export async function measureRequests(options: {
  client: Client;
  url: string;
  tenant: string;
  only: RegExp;
  limit: number;
  rounds: number;
}): Promise<string[][]> {
  const { client, url, tenant, only, limit, rounds } = options;
  const { id, token } = newKey();
  await client.query(
    'insert into api_keys (tenant_id, id, user_id, digest, permissions) values ($1, $2, $3, $4, 255)',
    [tenant, id, USER, digestOf(token)],
  );
  const service = await startSide({
    name: 'service',
    command: KUNDEBOK,
    arguments: ['serve'],
    environment: { DATABASE_URL: url, DATABASE_CONNECTIONS: '1', RATE_LIMIT: 'off', REGISTER: 'sandbox' },
    port: PORT,
    ready: '/readyz',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (path: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    request(`${service.origin}/api/v1${path}`, { agent, headers: { authorization: `Bearer ${token}` } })
      .once('response', (answer) => void text(answer).then(() => resolve(answer.statusCode!), reject))
      .once('error', reject)
      .end();
    const status = await promise;
    if (status !== 200) throw new Error(`${path} is answered ${status}`);
  };
  const byNumber = () => ask('/companies/900000777');
  const backend = await busiest(client, byNumber);
  const meter = new Meter(async () => (await service.usage()).cpu / 1e3 + usedBy(backend), rounds);
  const lines = [SEARCH_HEAD];
  try {
    for (const { list, sorts, words, path } of SEARCHES) {
      if (path === undefined) continue;
      for (const q of words.split(/,\s*/)) {
        for (const sort of sorts) {
          if (!only.test([list.title, JSON.stringify({ q }), sort].join(' '))) continue;
          const query = new URLSearchParams({ q, sort, limit: String(limit) });
          const search = () => ask(`${path}?${query.toString()}`);
          lines.push(searchLine([list.title, q, sort], await meter.leastOf([byNumber, search])));
        }
      }
    }
  } finally {
    agent.destroy();
    await service.stop();
    await client.query('delete from api_keys where id = $1', [id]);
  }
  return lines;
}

/** The process of PostgreSQL for the service's connection: the one that has used most processor time. */
async function busiest(client: Client, ask: () => Promise<void>): Promise<number> {
  for (let n = 0; n < 200; n += 1) await ask();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  return rows.map(({ pid }) => pid).toSorted((one, other) => usedBy(other) - usedBy(one))[0]!;
}
