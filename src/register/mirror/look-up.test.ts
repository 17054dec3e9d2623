import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyMirror, unit } from '../../../test/mirrored-register.ts';
import {
  failing,
  hanging,
  hangingUp,
  holding,
  slow,
  type Misbehaviour,
} from '../../../test/register-misbehaviour.ts';
import { deletedRecordOf, recordOf } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { freshOrgnr } from '../../../test/workspace.ts';
import { createWorld } from '../../../test/world.ts';
import { companiesFollow } from '../../companies/follow-register.ts';
import { connect, type Database } from '../../db/connect.ts';
import { mirroredRegister } from './look-up.ts';
import { syncMirror } from './sync.ts';
import { nationalRegister } from '../national/client.ts';
import type { Register, Unit } from '../register.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
afterAll(() => db.close());

let server: RegisterServer;
let register: Register;

beforeEach(async () => {
  await emptyMirror(world);
  server = await startRegisterServer();
  register = mirrored(db);
});
afterEach(() => server.stop());

/** A mirror of the stand-in, with a time limit longer than any test. */
function mirrored(on: Database, timeoutMs = 100_000): Register {
  const live = nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs });
  return mirroredRegister(on, live, companiesFollow.forget);
}

/** Makes the stored rows count as a mirror that was current this many days ago. */
async function importedDaysAgo(days: number): Promise<void> {
  await world.query(
    'insert into register_mirror (imported_at, current_at) values (now(), now() - make_interval(days => $1))',
    [days],
  );
  await world.query(
    `insert into register_feeds (kind, since)
     values ('unit', now() - make_interval(days => 1 + $1)), ('branch', now() - interval '1 minute')`,
    [days],
  );
}

const keptNumbers = async () =>
  (await world.query('select orgnr from register_units')).map((row) => row.orgnr);

describe('without a mirror', () => {
  test('every look-up asks the register and keeps its answer', async () => {
    const known = unit();
    server.hold(recordOf(known));
    expect(await register.find(known.orgnr)).toMatchObject({ outcome: 'found', unit: known });
    expect(await register.find(known.orgnr)).toMatchObject({ outcome: 'found', unit: known });
    expect(server.requests).toHaveLength(2);
    expect(await keptNumbers()).toEqual([known.orgnr]);
  });

  test('a kept answer serves while the register is unavailable', async () => {
    const known = unit();
    server.hold(recordOf(known));
    await register.find(known.orgnr);
    server.misbehave(failing(500));
    expect(await register.find(known.orgnr)).toMatchObject({ outcome: 'found', unit: known });
  });

  test('a number never seen is unavailable, not unknown, while the register is unavailable', async () => {
    server.misbehave(hanging());
    await expect(mirrored(db, 300).find(freshOrgnr())).rejects.toThrow('no answer within 300 ms');
    expect(await keptNumbers()).toEqual([]);
  });

  test('a unit that was dissolved since is reported as dissolved, also while the register is unavailable', async () => {
    const known = unit();
    server.hold(recordOf(known));
    await register.find(known.orgnr);
    server.hold(deletedRecordOf({ orgnr: known.orgnr, name: known.name, org_form: 'AS', on: '2026-10-01' }));
    const dissolved = { outcome: 'dissolved', on: '2026-10-01', unit: known };
    expect(await register.find(known.orgnr)).toEqual(dissolved);
    server.misbehave(failing(503));
    expect(await register.find(known.orgnr)).toEqual(dissolved);
  });

  test('a removal on legal grounds erases what was kept', async () => {
    const known = unit();
    server.hold(recordOf(known));
    await register.find(known.orgnr);
    server.remove(known.orgnr, '2026-10-02');
    expect(await register.find(known.orgnr)).toEqual({ outcome: 'removed', on: '2026-10-02' });
    expect(await keptNumbers()).toEqual([]);
  });
});

/** Twenty look-ups, which have all read the mirror before the register answers. */
async function together(known: Unit, answer: Misbehaviour) {
  let past = 0;
  const counting: Database = {
    ...db,
    async row(statement, parameters) {
      const row = await db.row(statement, parameters);
      past += 1;
      return row;
    },
  };
  const all = Promise.withResolvers<void>();
  server.misbehave(async (exchange) => {
    await all.promise;
    await answer(exchange);
  });
  const shared = mirrored(counting);
  const asking = Promise.allSettled(Array.from({ length: 20 }, () => shared.find(known.orgnr)));
  await expect.poll(() => past).toBe(20);
  all.resolve();
  return asking;
}

describe('look-ups of one number at the same time', () => {
  test('share one call', async () => {
    const known = unit();
    server.hold(recordOf(known));
    const answers = await together(known, slow(0));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'fulfilled'));
    expect(server.requests).toHaveLength(1);
  });

  test('share its failure, and the next one asks afresh', async () => {
    const known = unit();
    server.hold(recordOf(known));
    const answers = await together(known, hangingUp());
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
    expect(server.requests).toHaveLength(1);
    server.behave();
    expect(await register.find(known.orgnr)).toMatchObject({ outcome: 'found' });
  });
});

describe('a look-up that was slow', () => {
  test('does not undo what was learnt while it was under way', async () => {
    const old = unit();
    server.hold(recordOf(old));
    const late = holding();
    server.misbehave(late.how, { times: 1 });
    const asking = register.find(old.orgnr);
    await expect.poll(() => late.arrived()).toBe(1);
    await world.query(
      `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of)
       values ($1, 'NYERE AS', 'AS', '2001-02-03', 1, '62.100', false, now())`,
      [old.orgnr],
    );
    late.release();
    await asking;
    const rows = await world.query('select name from register_units where orgnr = $1', [old.orgnr]);
    expect(rows).toEqual([{ name: 'NYERE AS' }]);
  });

  test('does not bring back a unit that was removed meanwhile', async () => {
    const gone = unit();
    server.hold(recordOf(gone));
    const late = holding();
    server.misbehave(late.how, { times: 1 });
    const asking = register.find(gone.orgnr);
    await expect.poll(() => late.arrived()).toBe(1);
    await world.query('insert into register_removed values ($1, now())', [gone.orgnr]);
    late.release();
    await asking;
    expect(await keptNumbers()).toEqual([]);
  });
});

test('a removal that a look-up finds reaches companies of all workspaces', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  server.hold(recordOf(gone));
  const service = await world.start({ register });
  const [first, second] = [await world.workspace(service), await world.workspace(service)];
  await first.company({ orgnr: gone.orgnr, phone_number: '11 11 11 11' });
  server.remove(gone.orgnr, '2026-10-02');
  expect((await second.client.post('/companies', { orgnr: gone.orgnr })).status).toBe(422);
  expect((await first.client.get(`/companies/${gone.orgnr}`)).body.data).toMatchObject({
    name: gone.orgnr,
    employees: 0,
    website_url: null,
    phone_number: '11 11 11 11',
  });
  const written = () => world.query('select xmin::text from companies where orgnr = $1', [gone.orgnr]);
  const before = await written();
  await second.client.post('/companies', { orgnr: gone.orgnr });
  expect(await written()).toEqual(before);
});

test('guesses of unknown numbers leave no trace, and a unit that has become unknown is erased', async () => {
  const known = unit();
  server.hold(recordOf(known));
  await register.find(known.orgnr);
  server.requests.length = 0;
  await register.find(freshOrgnr());
  expect(await world.query("select * from register_invalidations where at > 'epoch'")).toEqual([]);
  server.misbehave(({ response }) => void response.writeHead(404).end(), { path: known.orgnr });
  expect(await register.find(known.orgnr)).toEqual({ outcome: 'unknown' });
  expect(await keptNumbers()).toEqual([]);
});

test('invalidations are kept for a day, and older ones deleted in steps', async () => {
  await world.query(
    "insert into register_invalidations select n::text, 'epoch' from generate_series(1, 2500) n",
  );
  await world.query("insert into register_invalidations values ('new', now() - interval '23 hours')");
  const options = { db, live: nationalRegister({ baseUrl: '', userAgent: '', timeoutMs: 1 }) };
  await syncMirror({ ...options, source: { baseUrl: '', userAgent: '' }, followers: companiesFollow });
  expect(await world.query('select orgnr from register_invalidations')).toEqual([{ orgnr: 'new' }]);
});

describe('with a mirror', () => {
  test('a row from before the feed was followed is not relied upon', async () => {
    const branch = unit({ org_form: 'BEDR' });
    server.hold(recordOf(branch));
    await register.find(branch.orgnr);
    await importedDaysAgo(1);
    await world.query("update register_units set as_of = now() - interval '200 days'");
    server.requests.length = 0;
    await register.find(branch.orgnr);
    expect(server.requests.length).toBeGreaterThan(0);
  });

  test('a current mirror answers alone', async () => {
    const known = unit();
    server.hold(recordOf(known));
    await register.find(known.orgnr);
    await importedDaysAgo(1);
    server.requests.length = 0;
    expect(await register.find(known.orgnr)).toMatchObject({ outcome: 'found', unit: known });
    expect(server.requests).toEqual([]);
  });

  test('a number that a current mirror lacks is asked for: the company may be hours old', async () => {
    await importedDaysAgo(1);
    const young = unit();
    server.hold(recordOf(young));
    expect(await register.find(young.orgnr)).toMatchObject({ outcome: 'found', unit: young });
    expect(await register.find(freshOrgnr())).toEqual({ outcome: 'unknown' });
  });

  test('a number that a current mirror lacks is unavailable while the register is unavailable', async () => {
    await importedDaysAgo(1);
    server.misbehave(failing(500));
    await expect(register.find(freshOrgnr())).rejects.toThrow('the register answers 500');
  });

  test('a mirror older than two days is not relied upon', async () => {
    const known = unit();
    server.hold(recordOf(known));
    await register.find(known.orgnr);
    await importedDaysAgo(3);
    server.hold(recordOf({ ...known, name: 'NYTT NAVN AS' }));
    expect(await register.find(known.orgnr)).toMatchObject({ unit: { name: 'NYTT NAVN AS' } });
    server.misbehave(failing(500));
    expect(await register.find(known.orgnr)).toMatchObject({ unit: { name: 'NYTT NAVN AS' } });
  });

  test('the state of the mirror is reported', async () => {
    await importedDaysAgo(1);
    const { facts, gauges } = await register.status();
    expect(facts).toMatchObject({ mirror_relied_upon: true, breaker: 'closed' });
    expect(gauges.mirror_age_seconds).toBeCloseTo(86_400, -2);
  });
});
