import { afterAll, afterEach, beforeEach } from 'vitest';
import { companiesFollow } from '../src/companies/follow-register.ts';
import { connect } from '../src/db/connect.ts';
import { syncAlone } from '../src/register/mirror/follow.ts';
import { mirroredRegister } from '../src/register/mirror/look-up.ts';
import { nationalRegister } from '../src/register/national/client.ts';
import { NOT_STATED, type Kind, type Register, type Unit } from '../src/register/register.ts';
import type { SyncOptions } from '../src/register/mirror/sync.ts';
import { recordOf } from './register-records.ts';
import { startRegisterServer, type RegisterServer } from './register-server.ts';
import { freshOrgnr } from './workspace.ts';
import { createWorld, type World } from './world.ts';

type ChangeKind = Parameters<RegisterServer['announce']>[0]['endringstype'];

/** An invented unit of which the register states most. */
export function unit(more: Partial<Unit> = {}): Unit {
  return {
    ...NOT_STATED,
    orgnr: freshOrgnr(),
    name: 'PRØVE AS',
    org_form: 'AS',
    registered_at: '2001-02-03',
    employees: 7,
    nace_primary: '62.100',
    email_address: 'post@prove.example',
    phone_number: '22 33 44 55',
    website_url: 'prove.example',
    ...more,
  };
}

/** Deletes all that is stored of the national register. */
export async function emptyMirror(world: Pick<World, 'query'>): Promise<void> {
  await world.query(
    'truncate register_units, register_mirror, register_feeds, register_removed, register_invalidations, register_set_aside',
  );
}

/**
 * A world whose service asks a stand-in of the national register and keeps a mirror, an hour old and empty. Each
 * test finds a new stand-in and a new mirror. Call it once, outside of any test.
 */
export async function createMirroredRegister() {
  const world = await createWorld();
  const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
  afterAll(() => db.close());

  const now = {} as {
    server: RegisterServer;
    live: Register;
    options: SyncOptions;
    register: Register;
  };
  beforeEach(async () => {
    await emptyMirror(world);
    await world.query(
      "insert into register_mirror (imported_at, current_at, companies_refreshed) values (now(), now() - interval '1 hour', true)",
    );
    await world.query(
      "insert into register_feeds (kind, since) select unnest('{unit,branch}'::text[]), now() - interval '1 day'",
    );
    now.server = await startRegisterServer();
    const source = { baseUrl: now.server.baseUrl, userAgent: 'test' };
    const limits = { failuresToOpen: 1_000, maxPauseMs: 0 };
    now.live = nationalRegister({ ...source, timeoutMs: 100_000, limits });
    now.register = mirroredRegister(db, now.live, companiesFollow.forget);
    now.options = { db, live: now.live, source, followers: companiesFollow };
  });
  afterEach(() => now.server.stop());

  const register: Register = {
    title: 'national register',
    find: (orgnr) => now.register.find(orgnr),
    search: (q, limit) => now.register.search(q, limit),
    status: () => now.register.status(),
  };
  const service = { ...(await world.start({ register })), register };

  /** Adds an entry to a feed. */
  function announce(orgnr: string, endringstype: ChangeKind, kind?: 'enheter' | 'underenheter'): number {
    const dato = new Date().toISOString();
    return now.server.announce({ dato, organisasjonsnummer: orgnr, endringstype }, kind);
  }

  return {
    world,
    /** The service, and the register it asks. */
    service,
    /** The stand-in and the options of this test. */
    now,
    sync: () => syncAlone(world.databaseUrl, now.options),
    mirror: async () => (await world.query('select * from register_mirror'))[0],
    feed: async (kind: Kind = 'unit') =>
      (await world.query('select * from register_feeds where kind = $1', [kind]))[0],
    /** Numbers set aside because they could not be read, by orgnr. */
    aside: () => world.query('select * from register_set_aside where failures > 0 order by orgnr'),
    mirrored: async (orgnr: string) =>
      (await world.query('select * from register_units where orgnr = $1', [orgnr]))[0],

    announce,

    /** Units that the register holds, each with an entry in the feed. */
    announced: (count: number, more: Partial<Unit> = {}): Unit[] => {
      const units = Array.from({ length: count }, () => unit(more));
      now.server.hold(...units.map((each) => recordOf(each)));
      for (const each of units) announce(each.orgnr, 'Endring');
      return units;
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
          return (await world.query(sql, [workspace.id]))[0]?.dissolved_on;
        },
      };
    },
  };
}
