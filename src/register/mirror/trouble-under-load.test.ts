import { afterAll, expect, test } from 'vitest';
import {
  hanging,
  hangingUp,
  html,
  saying,
  slow,
  type Misbehaviour,
} from '../../../test/register-misbehaviour.ts';
import { recordOf } from '../../../test/register-records.ts';
import { startRegisterServer } from '../../../test/register-server.ts';
import { freshOrgnr } from '../../../test/workspace.ts';
import { createWorld } from '../../../test/world.ts';
import { companiesFollow } from '../../companies/follow-register.ts';
import { connect } from '../../db/connect.ts';
import { mirroredRegister } from './look-up.ts';
import { nationalRegister } from '../national/client.ts';
import type { Unit } from '../register.ts';

const server = await startRegisterServer();
const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
const live = nationalRegister({
  baseUrl: server.baseUrl,
  userAgent: 'test',
  timeoutMs: 400,
  guard: { openMs: 100, longestOpenMs: 200 },
});
const service = await world.start({ register: mirroredRegister(db, live, companiesFollow.forget) });
afterAll(async () => {
  await db.close();
  await server.stop();
});

const TROUBLES: Record<string, Misbehaviour> = {
  'hanging up': hangingUp(),
  'silent for 30 s': slow(30_000),
  'silent for ever': hanging(),
  'answering HTML': html(),
  'answering garbage': saying('{"organisasjonsnummer": "'),
  'answering an empty object': saying('{}'),
};

function unit(orgnr: string): Unit {
  return {
    orgnr,
    name: `ENHET ${orgnr}`,
    org_form: 'AS',
    registered_at: '2001-02-03',
    employees: 7,
    nace_primary: '62.100',
    email_address: `post@${orgnr}.example`,
    phone_number: '22 33 44 55',
    mobile_number: null,
    website_url: null,
  };
}

test.for(Object.entries(TROUBLES))(
  'creates go on as they should while the register is %s',
  async ([, trouble]) => {
    const workspace = await world.workspace(service);
    const known = freshOrgnr();
    server.behave();
    server.hold(recordOf(unit(known)));
    await expect
      .poll(async () => (await workspace.client.post('/companies', { orgnr: known })).status)
      .toBeLessThan(300);

    const until = Date.now() + 1_200;
    const statuses = new Map<number, number>();
    const waits: number[] = [];
    const created: string[] = [];

    async function create(): Promise<void> {
      while (Date.now() < until) {
        const orgnr = freshOrgnr();
        server.hold(recordOf(unit(orgnr)));
        const { status, body, headers } = await workspace.client.post('/companies', { orgnr });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 201) created.push(orgnr);
        else expect([body.code, Number(headers['retry-after']) >= 1]).toEqual(['register_unavailable', true]);
      }
    }

    async function useExisting(): Promise<void> {
      while (Date.now() < until) {
        const started = performance.now();
        const { status } = await workspace.client.post('/companies', { orgnr: known });
        waits.push(performance.now() - started);
        expect(status).toBe(200);
      }
    }

    setTimeout(() => server.misbehave(trouble), 300);
    await Promise.all([...Array.from({ length: 12 }, create), useExisting(), useExisting()]);

    // Nothing but created and out of reach: a number the register knows is never called unknown.
    expect(new Set(statuses.keys())).toEqual(new Set([201, 503]));
    const rows = await world.sql('select orgnr, name, email_address from companies where tenant_id = $1', [
      workspace.id,
    ]);
    expect(new Set(rows.map((row) => row.orgnr))).toEqual(new Set([known, ...created]));
    for (const row of rows)
      expect(row).toEqual({
        orgnr: row.orgnr,
        name: `ENHET ${row.orgnr}`,
        email_address: `post@${row.orgnr}.example`,
      });
    // Far below the 400 ms that a look-up in trouble takes.
    expect(waits.toSorted((one, other) => one - other)[Math.floor(waits.length * 0.99)]).toBeLessThan(250);

    server.behave();
    const late = freshOrgnr();
    server.hold(recordOf(unit(late)));
    await expect
      .poll(async () => (await workspace.client.post('/companies', { orgnr: late })).status, {
        timeout: 5_000,
      })
      .toBe(201);
  },
);
