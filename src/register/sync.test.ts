import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failing } from '../../test/register-misbehaviour.ts';
import { deletedRecordOf, recordOf } from '../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../test/register-server.ts';
import { freshOrgnr } from '../../test/workspace.ts';
import { createWorld } from '../../test/world.ts';
import { companiesFollow } from '../companies/follow-register.ts';
import { connect } from '../db/connect.ts';
import { keepCurrent, syncAlone } from './keep-current.ts';
import { keptRegister } from './kept.ts';
import { nationalRegister, type NationalRegister } from './national.ts';
import type { Unit } from './register.ts';
import type { SyncOptions } from './sync.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
afterAll(() => db.close());

let server: RegisterServer;
let live: NationalRegister;
let options: SyncOptions;

beforeEach(async () => {
  await world.sql('truncate register_units, register_copy');
  await world.sql(
    `insert into register_copy (imported_at, current_at, units_since, branches_since)
     values (now(), now() - interval '1 hour', now() - interval '1 day', now() - interval '1 day')`,
  );
  server = await startRegisterServer();
  const source = { baseUrl: server.baseUrl, userAgent: 'test' };
  live = nationalRegister({ ...source, timeoutMs: 1_000, guard: { failuresToOpen: 1_000 } });
  options = { db, live, source, followers: companiesFollow };
});
afterEach(() => server.stop());

const sync = () => syncAlone(world.databaseUrl, options);
const copy = async () => (await world.sql('select * from register_copy'))[0];
const kept = async (orgnr: string) =>
  (await world.sql('select * from register_units where orgnr = $1', [orgnr]))[0];

function unit(more: Partial<Unit> = {}): Unit {
  return {
    orgnr: freshOrgnr(),
    name: 'PRØVE AS',
    orgForm: 'AS',
    registeredAt: '2001-02-03',
    employees: 7,
    nacePrimary: '62.100',
    emailAddress: 'post@prove.example',
    phoneNumber: '22 33 44 55',
    mobileNumber: null,
    websiteUrl: 'prove.example',
    ...more,
  };
}

type ChangeKind = Parameters<RegisterServer['announce']>[0]['endringstype'];

function announce(orgnr: string, endringstype: ChangeKind, kind?: 'enheter' | 'underenheter'): number {
  return server.announce({ dato: new Date().toISOString(), organisasjonsnummer: orgnr, endringstype }, kind);
}

const service = await world.start({
  register: {
    title: 'the national register',
    find: (orgnr) => keptRegister(db, live).find(orgnr),
    status: () => live.status(),
  },
});

/** A company that a workspace has created from the register. */
async function companyOf(facts: Unit, fields: object = {}) {
  server.hold(recordOf(facts));
  const workspace = await world.workspace(service);
  await workspace.company({ orgnr: facts.orgnr, ...fields });
  return {
    ...workspace,
    read: async () => (await workspace.client.get(`/companies/${facts.orgnr}`)).body.data,
    dissolvedOn: async () => {
      const rows = await world.sql('select dissolved_on::text from companies where tenant_id = $1', [
        workspace.id,
      ]);
      return rows[0]?.dissolved_on;
    },
  };
}

describe('a sync', () => {
  test('does nothing without a copy', async () => {
    await world.sql('truncate register_copy');
    announce(freshOrgnr(), 'Ny');
    expect(await sync()).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  test('reads each changed unit again and keeps it, from both feeds', async () => {
    const young = unit();
    const branch = unit({ orgForm: 'BEDR' });
    server.hold(recordOf(young), recordOf(branch));
    announce(young.orgnr, 'Ny');
    announce(young.orgnr, 'Endring');
    announce(branch.orgnr, 'Ny', 'underenheter');
    expect(await sync()).toEqual({ changes: 3 });
    expect(await kept(young.orgnr)).toMatchObject({ name: 'PRØVE AS', is_branch: false });
    expect(await kept(branch.orgnr)).toMatchObject({ is_branch: true });
    const lookUps = server.requests.filter(({ path }) => path === `/enheter/${young.orgnr}`);
    expect(lookUps).toHaveLength(1);
  });

  test('goes on after the last entry it has seen', async () => {
    const last = announce(freshOrgnr(), 'Ukjent');
    await sync();
    server.requests.length = 0;
    expect(await sync()).toEqual({ changes: 0 });
    expect(server.requests.map(({ path }) => path.split('&')[0])).toContain(
      `/oppdateringer/enheter?oppdateringsid=${last + 1}`,
    );
  });

  test('walks a feed of several pages', async () => {
    const units = Array.from({ length: 1_001 }, () => unit());
    server.hold(...units.map((each) => recordOf(each)));
    for (const each of units) announce(each.orgnr, 'Ny');
    expect(await sync()).toEqual({ changes: 1_001 });
    expect((await world.sql('select count(*)::int as n from register_units'))[0]).toEqual({ n: 1_001 });
  });

  test('makes the copy count as current again', async () => {
    await world.sql("update register_copy set current_at = now() - interval '9 days', last_error = 'old'");
    await sync();
    const state = await copy();
    expect(Date.now() - state.current_at.getTime()).toBeLessThan(60_000);
    expect(state.last_error).toBeNull();
  });

  test('erases what was removed on legal grounds, without asking for it', async () => {
    const gone = unit();
    await companyOf(gone);
    server.requests.length = 0;
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect(await kept(gone.orgnr)).toBeUndefined();
    expect(server.requests.filter(({ path }) => path.includes(gone.orgnr))).toEqual([]);
  });

  test('stops without a gap when the register goes out of reach, and goes on from there', async () => {
    const first = unit();
    server.hold(recordOf(first));
    announce(first.orgnr, 'Ny');
    server.misbehave(failing(500), { path: `/enheter/${first.orgnr}` });
    await expect(sync()).rejects.toThrow('the register answers 500');
    expect(await copy()).toMatchObject({ units_after: null, last_error: 'the register answers 500' });
    server.behave();
    expect(await sync()).toEqual({ changes: 1 });
    expect(await kept(first.orgnr)).toMatchObject({ name: 'PRØVE AS' });
    expect((await copy()).last_error).toBeNull();
  });

  test('refuses a feed that is no feed, and never moves a cursor back', async () => {
    const id = announce(freshOrgnr(), 'Ny');
    server.misbehave(failing(400), { path: '/oppdateringer/enheter' });
    await expect(sync()).rejects.toThrow('the feed answers 400');
    server.behave();
    await sync();
    await world.sql('update register_copy set units_after = $1', [id + 10]);
    expect(await sync()).toEqual({ changes: 0 });
    expect((await copy()).units_after).toBe(String(id + 10));
  });

  test('is done by one process at a time', async () => {
    for (let n = 0; n < 20; n++) announce(freshOrgnr(), 'Ny');
    const results = await Promise.allSettled([sync(), sync(), sync()]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.message).toContain('another process');
    }
    const asked = server.requests.filter(({ path }) => /^\/enheter\/\d/.test(path)).map(({ path }) => path);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('runs by itself in the service while there is a copy', async () => {
    const young = unit();
    server.hold(recordOf(young));
    announce(young.orgnr, 'Ny');
    const errors: unknown[] = [];
    const loop = keepCurrent(world.databaseUrl, {
      ...options,
      intervalMs: 20,
      onError: (e) => errors.push(e),
    });
    await expect.poll(() => kept(young.orgnr), { timeout: 5_000 }).toMatchObject({ name: 'PRØVE AS' });
    await loop.stop();
    expect(errors).toEqual([]);
  });
});

describe('companies in workspaces', () => {
  test('take over name, form, employees and industry code when the feed names them', async () => {
    const old = unit();
    const company = await companyOf(old);
    const before = await company.read();
    server.hold(
      recordOf({ ...old, name: 'NYTT NAVN ASA', orgForm: 'ASA', employees: 99, nacePrimary: '01.110' }),
    );
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toEqual({
      ...before,
      name: 'NYTT NAVN ASA',
      org_form: 'ASA',
      employees: 99,
      nace_primary: '01.110',
    });
  });

  test('take over contact fields, but never those that someone has set', async () => {
    const old = unit();
    const company = await companyOf(old, { website_url: 'https://own.example' });
    await company.client.patch(`/companies/${old.orgnr}`, { phone_number: null });
    server.hold(
      recordOf({
        ...old,
        emailAddress: 'ny@prove.example',
        phoneNumber: '99 99 99 99',
        websiteUrl: 'ny.example',
      }),
    );
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toMatchObject({
      email_address: 'ny@prove.example',
      phone_number: null,
      website_url: 'https://own.example',
    });
  });

  test('stay untouched, row and all, when nothing about them changed', async () => {
    const same = unit();
    await companyOf(same);
    const row = () =>
      world.sql('select xmin::text, updated_at from companies where orgnr = $1', [same.orgnr]);
    const before = await row();
    announce(same.orgnr, 'Endring');
    await sync();
    expect(await row()).toEqual(before);
  });

  test('remember their dissolution, and its end', async () => {
    const old = unit();
    const company = await companyOf(old);
    server.hold(deletedRecordOf({ orgnr: old.orgnr, name: old.name, orgForm: 'AS', on: '2026-10-01' }));
    announce(old.orgnr, 'Sletting');
    await sync();
    expect(await company.dissolvedOn()).toBe('2026-10-01');
    server.hold(recordOf(old));
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.dissolvedOn()).toBeNull();
  });

  test('lose what the register supplied when the unit is removed on legal grounds, and keep their own', async () => {
    const gone = unit({ orgForm: 'ENK', name: 'KARI NORDMANN' });
    const company = await companyOf(gone, { phone_number: '11 11 11 11', status: 'customer' });
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect(await company.read()).toMatchObject({
      name: gone.orgnr,
      employees: 0,
      nace_primary: '00.000',
      email_address: null,
      website_url: null,
      phone_number: '11 11 11 11',
      status: 'customer',
    });
  });

  test('follow in every workspace at once', async () => {
    const shared = unit();
    const companies = [await companyOf(shared), await companyOf(shared)];
    server.hold(recordOf({ ...shared, name: 'FELLES AS' }));
    announce(shared.orgnr, 'Endring');
    await sync();
    for (const company of companies) expect(await company.read()).toMatchObject({ name: 'FELLES AS' });
  });
});
