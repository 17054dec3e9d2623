import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import {
  hanging,
  hangingUp,
  html,
  saying,
  slow,
  type Misbehaviour,
} from '../../../test/register-misbehaviour.ts';
import { unit } from '../../../test/mirrored-register.ts';
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
// However slow PostgreSQL is, no request waits for a connection here.
const connections = 24;
const db = connect({ url: world.databaseUrl, connections, onIdleError: () => {} });
const live = nationalRegister({
  baseUrl: server.baseUrl,
  userAgent: 'test',
  timeoutMs: 1_000,
  limits: { openMs: 100, maxOpenMs: 200 },
});
const service = await world.start({
  register: mirroredRegister(db, live, companiesFollow.forget),
  databaseConnections: connections,
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

/** How many clients create companies, the fewest that each tries, and after how many successes the trouble begins. */
const [CREATORS, TURNS, TROUBLE_AFTER] = [12, 8, 30];

/** Between two uses of the company that exists already: a loop without a pause would test nothing more. */
const PAUSE_MS = 5;

const TROUBLES: Record<string, Misbehaviour> = {
  'hanging up': hangingUp(),
  'silent for 30 s': slow(30_000),
  'silent for ever': hanging(),
  'answering HTML': html(),
  'answering garbage': saying('{"organisasjonsnummer": "'),
  'answering an empty object': saying('{}'),
};

function own(orgnr: string): Unit {
  return unit({ orgnr, name: `ENHET ${orgnr}`, email_address: `post@${orgnr}.example` });
}

test.for(Object.entries(TROUBLES))(
  'companies are created or refused as they should be while the register is %s',
  async ([, trouble]) => {
    const workspace = await world.workspace(service);
    const known = freshOrgnr();
    server.behave();
    server.hold(recordOf(own(known)));
    await expect
      .poll(async () => (await workspace.client.post('/companies', { orgnr: known })).status)
      .toBeLessThan(300);

    const askedOfKnown = () => server.requests.filter(({ path }) => path.includes(known)).length;
    const before = askedOfKnown();
    const statuses = new Map<number, number>();
    const created: string[] = [];

    async function create(): Promise<void> {
      for (let turn = 0; turn < TURNS || created.length < TROUBLE_AFTER; turn += 1) {
        const orgnr = freshOrgnr();
        server.hold(recordOf(own(orgnr)));
        const { status, body, headers } = await workspace.client.post('/companies', { orgnr });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 201 && created.push(orgnr) === TROUBLE_AFTER) server.misbehave(trouble);
        if (status !== 201)
          expect([body.code, Number(headers['retry-after']) >= 1]).toEqual(['register_unavailable', true]);
      }
    }

    async function useExisting(): Promise<void> {
      while (!over.signal.aborted) {
        const { status } = await workspace.client.post('/companies', { orgnr: known });
        expect(status).toBe(200);
        await sleep(PAUSE_MS);
      }
    }

    const over = new AbortController();
    const creating = Promise.all(Array.from({ length: CREATORS }, create)).finally(() => over.abort());
    await Promise.all([creating, useExisting(), useExisting()]);
    // A request for a company that exists already never asks the register.
    expect(askedOfKnown()).toBe(before);

    // Nothing but created and unavailable: a number the register knows is never called unknown.
    expect(new Set(statuses.keys())).toEqual(new Set([201, 503]));
    const rows = await world.query('select orgnr, name, email_address from companies where tenant_id = $1', [
      workspace.id,
    ]);
    expect(new Set(rows.map((row) => row.orgnr))).toEqual(new Set([known, ...created]));
    for (const row of rows)
      expect(row).toEqual({
        orgnr: row.orgnr,
        name: `ENHET ${row.orgnr}`,
        email_address: `post@${row.orgnr}.example`,
      });
    server.behave();
    const late = freshOrgnr();
    server.hold(recordOf(own(late)));
    await expect
      .poll(async () => (await workspace.client.post('/companies', { orgnr: late })).status)
      .toBe(201);
  },
);
