import { randomBytes, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { clientFor } from '../../test/client.ts';
import { numbered } from '../../test/import-file.ts';
import { endWithFile, ownDatabase, startService, type Service } from '../../test/service.ts';
import { digestOf } from '../keys/key.ts';

endWithFile();
const url = await ownDatabase();
const settings = { DATABASE_URL: url, RATE_LIMIT: 'off', LOG_LEVEL: 'error' };
const pool = new Pool({ connectionString: url, max: 2 });
// `pool.end()` does not wait for the server, which closes remaining connections when the database is dropped.
pool.on('connect', (client) => client.on('error', () => {}));
afterAll(() => pool.end());

const ROWS = 160;
const BATCH = 20;
const PEOPLE = ['Navn', ...Array.from({ length: ROWS }, (_, index) => `Person ${index}`)];
const FILE = PEOPLE.map((name, index) => [name, `p${index}@example.no`]);

/** A session of the first owner, whom the first start of the service created. */
async function signIn(): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await pool.query('update memberships set joined_at = now()');
  await pool.query(
    `insert into sessions (id, digest, user_id, tenant_id, user_agent, network, expires_at)
     select $1, $2, user_id, tenant_id, 'test', 'test', now() + interval '1 day' from memberships`,
    [randomUUID(), digestOf(token)],
  );
  return token;
}

const browserOf = ({ origin }: Service, session: string) =>
  clientFor({ origin, token: undefined, session, agent: new Agent({ keepAlive: true }), judge() {} });

const count = async (text: string) =>
  Number((await pool.query(`select count(*) from ${text}`)).rows[0].count);

/** Sends the rows in batches, each again while the service is busy, until the end or until the service is gone. */
async function send(
  browser: ReturnType<typeof browserOf>,
  id: string,
  onBatch = () => {},
): Promise<number[]> {
  const rows = numbered(FILE);
  const statuses: number[] = [];
  for (let start = 0; start < rows.length;) {
    const answer = await browser
      .post(`/imports/${id}/rows`, { rows: rows.slice(start, start + BATCH) })
      .catch(() => undefined);
    if (!answer) return statuses;
    if (answer.status === 503) continue;
    start += BATCH;
    statuses.push(answer.status);
    onBatch();
  }
  return statuses;
}

test('an import whose service is killed leaves whole rows, and can be continued with the same file and undone', async () => {
  const first = await startService(settings);
  const session = await signIn();
  const about = { resource: 'contact', columns: ['name', 'email'], file_name: 'a.csv', row_count: ROWS };
  const { id } = (await browserOf(first, session).post('/imports', about)).body.data;
  let batches = 0;
  let killed: Promise<unknown> | undefined;
  // The service is killed after some batches, while the next one is on its way.
  const sent = await send(browserOf(first, session), id, () => {
    batches += 1;
    if (batches === 3) killed = first.stop('SIGKILL');
  });
  await killed;
  expect(sent.length).toBeLessThan(ROWS / BATCH);
  const busy = `pg_stat_activity where datname = current_database() and application_name = 'kundebok'`;
  await expect.poll(() => count(busy), { interval: 10 }).toBe(0);

  const read = await count('import_rows');
  expect(read % BATCH).toBe(0);
  expect(read).toBeGreaterThanOrEqual(3 * BATCH);
  for (const table of ['contacts', 'contact_points']) expect(await count(table)).toBe(read);

  const second = await startService(settings);
  const browser = browserOf(second, session);
  expect((await browser.get(`/imports/${id}`)).body.data).toMatchObject({
    row_count: ROWS,
    created_count: read,
    undone_at: null,
    can_undo: true,
  });
  expect(new Set(await send(browser, id))).toEqual(new Set([200]));
  expect((await browser.get(`/imports/${id}`)).body.data.created_count).toBe(ROWS);
  for (const table of ['contacts', 'contact_points']) expect(await count(table)).toBe(ROWS);

  for (let remaining = ROWS; remaining > 0;) {
    ({ remaining } = (await browser.post(`/imports/${id}/undo`, {})).body);
  }
  expect(await count('contacts where erased_at is null')).toBe(0);
});
