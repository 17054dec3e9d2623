import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { clientFor, type Answer, type Client } from '../../test/client.ts';
import { isReplay, sendWithKey } from '../../test/repeats.ts';
import { untilProcessed } from '../../test/until-processed.ts';
import { endWithFile, ownDatabase, startService, type Service } from '../../test/service.ts';

endWithFile();
const url = await ownDatabase();
const settings = { DATABASE_URL: url, RATE_LIMIT: 'off', LOG_LEVEL: 'error' };
const pool = new Pool({ connectionString: url, max: 2 });
// `pool.end` does not wait for the server, which ends remaining connections when the database is dropped.
pool.on('connect', (client) => client.on('error', () => {}));
afterAll(() => pool.end());

const clientOf = (service: Service, token: string): Client =>
  clientFor({ origin: service.origin, token, agent: new Agent({ keepAlive: true }), judge: () => {} });

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any table
const rows = async (text: string): Promise<any[]> => (await pool.query(text)).rows;
/** The first column of each row as text, in order. */
async function column(text: string): Promise<string[]> {
  const { rows } = await pool.query({ text, rowMode: 'array' });
  return rows.map(([value]) => String(value)).toSorted((one, other) => (one < other ? -1 : 1));
}

test('a service that is killed under writes leaves no entry without its change, no change without its entry, and no reservation', async () => {
  const first = await startService(settings);
  const { key } = first;
  const client = clientOf(first, key!);
  const { orgnr } = (await client.post('/companies', { orgnr: '923609016' })).body.data;
  const contact = (await client.post('/contacts', { name: 'Kari' })).body.data.id;

  const note = (text: string) => ({ method: 'POST', path: `/companies/${orgnr}/notes`, body: { text } });
  const asked: string[] = [];
  const answered: string[] = [];
  let revenue = 0;
  const offer = randomUUID();
  await client.post('/offers', {
    id: offer,
    title: 'Avtale',
    user_id: (await client.get('/me')).body.data.user_id,
    company_id: (await client.get(`/companies/${orgnr}`)).body.data.id,
  });
  /** Writes until the service is gone. */
  const writers = Array.from({ length: 16 }, async () => {
    try {
      for (;;) {
        const text = randomUUID();
        asked.push(text);
        const { status } = await sendWithKey(client, note(text), text);
        if (status === 201) answered.push(text);
        await client.patch(`/offers/${offer}`, { one_time_revenue: ++revenue });
        await client.post(`/contacts/${contact}/points`, { type: 'mobile', value: '1' });
      }
    } catch {
      // The connection broke with the service.
    }
  });
  await expect.poll(() => answered.length, { interval: 2 }).toBeGreaterThan(60);
  await first.stop('SIGKILL');
  await Promise.all(writers);
  // PostgreSQL ends what the service had begun once it hears that the connection is gone.
  const busy = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'kundebok'`;
  await expect.poll(() => rows(busy), { interval: 10 }).toEqual([]);

  const entriesOf = (resource: string) =>
    column(`select resource_id from changes where resource = '${resource}'`);
  expect(await entriesOf('note')).toEqual(
    await column("select id from timeline_entries where type = 'add_comment'"),
  );
  expect(await entriesOf('point')).toEqual(await column('select id from contact_points'));
  const [{ version, one_time_revenue: last }] = await rows('select version, one_time_revenue from offers');
  expect((await entriesOf('offer')).length).toBe(Number(version));
  const [{ after }] = await rows(
    `select "values" -> 'one_time_revenue' ->> 1 as after from changes where resource = 'offer' order by draw desc limit 1`,
  );
  expect(after).toBe(last);
  const stored = () => column("select content ->> 'text' from timeline_entries where type = 'add_comment'");
  expect(await column('select idempotency_key from remembered_answers')).toEqual(await stored());
  expect(await stored()).toEqual(expect.arrayContaining(answered));

  const second = await startService(settings);
  const again = clientOf(second, key!);
  const before = new Set(await stored());
  const repeats: [string, Answer][] = await Promise.all(
    asked.map(async (text): Promise<[string, Answer]> => {
      const answer = await untilProcessed(() => sendWithKey(again, note(text), text));
      return [text, answer];
    }),
  );
  for (const [text, answer] of repeats) {
    expect([answer.status, answer.body.data.content.text, isReplay(answer)]).toEqual([
      201,
      text,
      before.has(text),
    ]);
  }
  expect(new Set(await stored())).toEqual(new Set(asked));
  expect(await stored()).toHaveLength(asked.length);
});
