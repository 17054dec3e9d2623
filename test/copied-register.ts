import { afterAll, afterEach, beforeEach } from 'vitest';
import { companiesFollow } from '../src/companies/follow-register.ts';
import { connect } from '../src/db/connect.ts';
import { syncAlone } from '../src/register/mirror/follow.ts';
import { keptRegister } from '../src/register/mirror/look-up.ts';
import { nationalRegister, type NationalRegister } from '../src/register/national/client.ts';
import type { Unit } from '../src/register/register.ts';
import type { SyncOptions } from '../src/register/mirror/sync.ts';
import { recordOf } from './register-records.ts';
import { startRegisterServer, type RegisterServer } from './register-server.ts';
import { freshOrgnr } from './workspace.ts';
import { createWorld } from './world.ts';

type ChangeKind = Parameters<RegisterServer['announce']>[0]['endringstype'];

/** An invented unit of which the register states most. */
export function unit(more: Partial<Unit> = {}): Unit {
  return {
    orgnr: freshOrgnr(),
    name: 'PRØVE AS',
    org_form: 'AS',
    registered_at: '2001-02-03',
    employees: 7,
    nace_primary: '62.100',
    email_address: 'post@prove.example',
    phone_number: '22 33 44 55',
    mobile_number: null,
    website_url: 'prove.example',
    ...more,
  };
}

/**
 * A world whose service asks a stand-in of the national register and keeps a copy, an hour old and empty. Each
 * test finds a new stand-in and a new copy. Call it once, outside of any test.
 */
export async function createCopiedRegister() {
  const world = await createWorld();
  const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
  afterAll(() => db.close());

  const now = {} as { server: RegisterServer; live: NationalRegister; options: SyncOptions };
  beforeEach(async () => {
    await world.sql('truncate register_units, register_copy, register_removed');
    await world.sql(
      `insert into register_copy (imported_at, current_at, units_since, branches_since)
       values (now(), now() - interval '1 hour', now() - interval '1 day', now() - interval '1 day')`,
    );
    now.server = await startRegisterServer();
    const source = { baseUrl: now.server.baseUrl, userAgent: 'test' };
    now.live = nationalRegister({ ...source, timeoutMs: 1_000, guard: { failuresToOpen: 1_000 } });
    now.options = { db, live: now.live, source, followers: companiesFollow };
  });
  afterEach(() => now.server.stop());

  const service = await world.start({
    register: {
      title: 'the national register',
      find: (orgnr) => keptRegister(db, now.live).find(orgnr),
      status: () => now.live.status(),
    },
  });

  return {
    world,
    /** The stand-in and the options of this test. */
    now,
    sync: () => syncAlone(world.databaseUrl, now.options),
    copy: async () => (await world.sql('select * from register_copy'))[0],
    kept: async (orgnr: string) =>
      (await world.sql('select * from register_units where orgnr = $1', [orgnr]))[0],

    /** Adds an entry to a feed. */
    announce: (orgnr: string, endringstype: ChangeKind, kind?: 'enheter' | 'underenheter'): number => {
      const dato = new Date().toISOString();
      return now.server.announce({ dato, organisasjonsnummer: orgnr, endringstype }, kind);
    },

    /** A company that a workspace has created from the register. */
    companyOf: async (facts: Unit, fields: object = {}) => {
      now.server.hold(recordOf(facts));
      const workspace = await world.workspace(service);
      await workspace.company({ orgnr: facts.orgnr, ...fields });
      return {
        ...workspace,
        read: async () => (await workspace.client.get(`/companies/${facts.orgnr}`)).body.data,
        dissolvedOn: async () => {
          const sql = 'select dissolved_on::text from companies where tenant_id = $1';
          return (await world.sql(sql, [workspace.id]))[0]?.dissolved_on;
        },
      };
    },
  };
}
