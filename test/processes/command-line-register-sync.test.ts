import { afterEach, beforeEach, expect, test } from 'vitest';
import { generatedUnit } from '../../src/register/sandbox/generated.ts';
import { runSql } from '../database.ts';
import { generatedOrgnr } from '../generated-orgnr.ts';
import { holding, saying } from '../register-misbehaviour.ts';
import { fullRecord, recordOf } from '../register-records.ts';
import { startRegisterServer, type RegisterServer } from '../register-server.ts';
import { endWithFile, kundebok, kundebokHere, ownDatabase, startService } from '../service.ts';

endWithFile();

const DATABASE_URL = await ownDatabase();

let server: RegisterServer;
let settings: Record<string, string>;

beforeEach(async () => {
  server = await startRegisterServer();
  settings = { REGISTER: 'national', REGISTER_URL: server.baseUrl, DATABASE_URL };
  for (const kind of ['enheter', 'underenheter'] as const) {
    const dato = new Date().toISOString();
    server.announce({ dato, organisasjonsnummer: generatedOrgnr(0), endringstype: 'Ny' }, kind);
  }
});
afterEach(() => server.stop());

test('a feed that is not a feed ends a sync with 1, and doctor and status say so', async () => {
  await runSql(
    DATABASE_URL,
    `insert into register_mirror (imported_at, current_at) values (now(), now());
     insert into register_feeds (kind, since) select unnest('{unit,branch}'::text[]), now() - interval '1 day'`,
  );
  const good = await kundebok(['register', 'sync', '--json'], settings);
  expect([good.code, JSON.parse(good.stdout)]).toEqual([0, { changes: 2 }]);
  expect((await kundebokHere(['doctor'], settings)).stdout).toContain('ok    mirror');

  server.misbehave(saying('{}'), { path: '/oppdateringer' });
  const sync = await kundebokHere(['register', 'sync'], settings);
  expect(sync.code).toBe(1);
  expect(sync.stderr).toMatch(/^The mirror is not up to date: the feed of unit changes answers with no page/);
  const doctor = await kundebokHere(['doctor', '--json'], settings);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.stdout).find(({ check }: { check: string }) => check === 'mirror')).toMatchObject({
    ok: false,
    found: expect.stringContaining('the last sync failed'),
  });
  const status = await kundebok(['register', 'status', '--json'], settings);
  expect(JSON.parse(status.stdout)).toMatchObject({
    source: 'national',
    mirror_relied_upon: true,
    errors: [expect.stringContaining('the last sync failed')],
    numbers_set_aside: 0,
  });
  server.behave();

  await runSql(
    DATABASE_URL,
    "update register_feeds set last_id = null, last_at = null, since = now() - interval '25 hours' where kind = 'branch'",
  );
  server.misbehave(saying('{"page":{"totalElements":0}}'), { path: '/oppdateringer/underenheter' });
  expect((await kundebokHere(['register', 'sync'], settings)).code).toBe(0);
  const warned = await kundebokHere(['doctor'], settings);
  expect(warned.stdout).toMatch(/^warn {2}mirror .*the feed of branch changes has had no entry since/m);
  expect(warned.code).toBe(0);
});

test('a service of the national register keeps its mirror current by itself, and finds companies there', async () => {
  const url = await ownDatabase();
  await runSql(
    url,
    `insert into register_mirror (imported_at, current_at) values (now(), now());
     insert into register_feeds (kind, since) select unnest('{unit,branch}'::text[]), now() - interval '1 day'`,
  );
  const facts = generatedUnit(generatedOrgnr(0));
  server.hold(recordOf(facts));
  const service = await startService({ ...settings, DATABASE_URL: url });
  const synced = () => kundebokHere(['register', 'status', '--json'], { ...settings, DATABASE_URL: url });
  await expect.poll(async () => JSON.parse((await synced()).stdout).mirror_synced_at).not.toBeNull();
  await server.stop();
  const answer = await fetch(`${service.address}/companies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ orgnr: facts.orgnr }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([201, { data: { name: facts.name } }]);
  await service.stop();
});

test('SIGTERM ends the sync of the mirror at once, not after the requests under way', async () => {
  server.hold(fullRecord('333333333'));
  const lookUp = holding();
  server.misbehave(lookUp.how, { path: '/enheter/333333333' });
  const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  server.misbehave(
    ({ response }) => {
      response.once('close', () => closed.resolve('the feed is closed'));
      asked.resolve();
    },
    { path: '/oppdateringer/' },
  );
  const url = await ownDatabase();
  await runSql(
    url,
    `insert into register_mirror (imported_at, current_at) values (now(), now());
     insert into register_feeds (kind, since) select unnest('{unit,branch}'::text[]), now()`,
  );
  const service = await startService({ ...settings, DATABASE_URL: url });
  await asked.promise;
  const headers = { authorization: `Bearer ${service.key}` };
  const answered = fetch(`${service.address}/register/333333333`, { headers }).then(() => 'answered');
  await expect.poll(() => lookUp.arrived()).toBe(1);
  const stopped = service.stop();
  expect(await Promise.race([closed.promise, answered])).toBe('the feed is closed');
  lookUp.release();
  await answered;
  expect(await stopped).toBe(0);
});
