import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deletedRecordOf, fullRecord, fullSubUnitRecord, recordOf } from '../../../test/register-records.ts';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { KNOWN_ORGNR, nationalRegister } from './client.ts';
import { dissolvedAnswer, NOT_STATED, type Register } from '../register.ts';
import { TRAPS } from '../sandbox/traps.ts';
import sandboxUnits from '../sandbox/units.json' with { type: 'json' };
import { REAL_UNITS, sandboxRegister } from '../sandbox/sandbox.ts';

const UNIT = '333333333';
const BRANCH = '311777777';

let server: RegisterServer;
let register: Register;

beforeEach(async () => {
  server = await startRegisterServer();
  register = nationalRegister({
    baseUrl: server.baseUrl,
    userAgent: 'kundebok-test (drift@kundebok.example)',
    timeoutMs: 100_000,
  });
});

afterEach(() => server.stop());

describe('a look-up', () => {
  it('finds a unit with one request', async () => {
    server.hold(fullRecord(UNIT));
    expect(await register.find(UNIT)).toMatchObject({
      outcome: 'found',
      unit: { orgnr: UNIT, org_form: 'SÆR', employees: 12345, email_address: 'post@fullstendig.example' },
    });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /enheter/${UNIT}`]);
  });

  it('says who asks and which version it wants', async () => {
    await register.find(UNIT);
    expect(server.requests.slice(0, 2)).toMatchObject([
      {
        accept: 'application/vnd.brreg.enhetsregisteret.enhet.v2+json',
        userAgent: 'kundebok-test (drift@kundebok.example)',
      },
      {
        accept: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+json',
        userAgent: 'kundebok-test (drift@kundebok.example)',
      },
    ]);
  });

  it('finds a branch where the register keeps branches', async () => {
    server.hold(fullSubUnitRecord(BRANCH));
    expect(await register.find(BRANCH)).toMatchObject({
      outcome: 'found',
      unit: { orgnr: BRANCH, org_form: 'BEDR' },
    });
    expect(server.requests.map(({ path }) => path)).toEqual([
      `/enheter/${BRANCH}`,
      `/underenheter/${BRANCH}`,
    ]);
  });

  it('reports a dissolved unit and its date, in the new shape and the old, also for branches', async () => {
    const unit = { orgnr: UNIT, name: 'SLETTET PRØVE AS', org_form: 'AS', on: '2024-03-09' };
    const branch = { ...unit, orgnr: BRANCH, org_form: 'BEDR', on: '2023-12-30' };
    const facts = { name: 'SLETTET PRØVE AS' };
    for (const withClass of [true, false]) {
      server.hold(deletedRecordOf(unit, { withClass }), deletedRecordOf(branch, { withClass }));
      expect(await register.find(UNIT)).toEqual(
        dissolvedAnswer({ ...facts, orgnr: UNIT, org_form: 'AS' }, unit.on),
      );
      expect(await register.find(BRANCH)).toEqual(
        dissolvedAnswer({ ...facts, orgnr: BRANCH, org_form: 'BEDR' }, branch.on),
      );
    }
  });

  it('reports a removed unit, with its date if one is given', async () => {
    server.hold(fullRecord(UNIT));
    server.remove(UNIT, '2025-05-24');
    expect(await register.find(UNIT)).toEqual({ outcome: 'removed', on: '2025-05-24' });
    server.remove(UNIT, null);
    expect(await register.find(UNIT)).toEqual({ outcome: 'removed', on: null });
    server.remove(BRANCH, '2025-05-25', 'underenheter');
    expect(await register.find(BRANCH)).toEqual({ outcome: 'removed', on: '2025-05-25' });
  });

  it('calls a number unknown only after both places say so', async () => {
    expect(await register.find(UNIT)).toEqual({ outcome: 'unknown' });
    expect(server.requests.slice(0, 2).map(({ path }) => path)).toEqual([
      `/enheter/${UNIT}`,
      `/underenheter/${UNIT}`,
    ]);
  });

  it('asks again each time', async () => {
    expect(await register.find(UNIT)).toEqual({ outcome: 'unknown' });
    server.hold(fullRecord(UNIT));
    expect(await register.find(UNIT)).toMatchObject({ outcome: 'found' });
    server.hold(recordOf({ ...FOUND, employees: 9 }));
    expect(await register.find(UNIT)).toEqual({ outcome: 'found', unit: { ...FOUND, employees: 9 } });
  });
});

it('look-ups at one time do not get in the way of one another', async () => {
  server.hold(...REAL_UNITS.map(recordOf));
  const found = await Promise.all(REAL_UNITS.map(({ orgnr }) => register.find(orgnr)));
  expect(found).toEqual(REAL_UNITS.map((unit) => ({ outcome: 'found', unit })));
});

const asked = () => server.requests.map(({ path }) => path);

describe('a 404', () => {
  it('is believed once the register has shown that it knows its own number', async () => {
    expect(await register.find(UNIT)).toEqual({ outcome: 'unknown' });
    expect(asked()).toEqual([`/enheter/${UNIT}`, `/underenheter/${UNIT}`, `/enheter/${KNOWN_ORGNR}`]);
    expect(await register.find(BRANCH)).toEqual({ outcome: 'unknown' });
    expect(asked()).toHaveLength(5);
  });

  it('is believed when a unit was found before', async () => {
    server.hold(fullRecord(UNIT));
    await register.find(UNIT);
    expect(await register.find(BRANCH)).toEqual({ outcome: 'unknown' });
    expect(asked()).not.toContain(`/enheter/${KNOWN_ORGNR}`);
  });

  it.each(['/', '/x'])('from an address that knows nothing is no answer (%j)', async (path) => {
    const baseUrl = new URL(path, server.baseUrl).href;
    const lost = nationalRegister({ baseUrl, userAgent: 'test', timeoutMs: 100_000 });
    for (const orgnr of [UNIT, BRANCH, KNOWN_ORGNR]) {
      await expect(lost.find(orgnr)).rejects.toThrow('check REGISTER_URL');
    }
  });

  it('is believed again only after another proof when the register has failed', async () => {
    await register.find(UNIT);
    server.misbehave(misbehaviour.hangingUp(), { times: 1 });
    await expect(register.find(UNIT)).rejects.toThrow('does not answer');
    server.misbehave(({ response }) => void response.writeHead(404).end());
    await expect(register.find(UNIT)).rejects.toThrow('check REGISTER_URL');
    server.behave();
    expect(await register.find(UNIT)).toEqual({ outcome: 'unknown' });
  });

  it('after one record that cannot be used needs no other proof', async () => {
    await register.find(UNIT);
    server.hold({ ...fullRecord(UNIT), antallAnsatte: '7' });
    await expect(register.find(UNIT)).rejects.toMatchObject({
      message: expect.stringContaining('antallAnsatte'),
      fault: 'unit',
    });
    server.requests.length = 0;
    expect(await register.find(BRANCH)).toEqual({ outcome: 'unknown' });
    expect(asked()).not.toContain(`/enheter/${KNOWN_ORGNR}`);
  });
});

describe('a 410 without a body', () => {
  it('is believed when the register finds its own number right after it', async () => {
    server.hold(fullRecord(UNIT));
    await register.find(UNIT);
    server.remove(BRANCH, null);
    expect(await register.find(BRANCH)).toEqual({ outcome: 'removed', on: null });
    expect(asked()).toEqual([`/enheter/${UNIT}`, `/enheter/${BRANCH}`, `/enheter/${KNOWN_ORGNR}`]);
  });

  it('is no answer from an address that answers so to everything, even if it worked before', async () => {
    server.hold(fullRecord(UNIT));
    await register.find(UNIT);
    server.misbehave(({ response }) => void response.writeHead(410).end());
    for (const orgnr of [UNIT, BRANCH, KNOWN_ORGNR]) {
      await expect(register.find(orgnr)).rejects.toThrow('check REGISTER_URL');
    }
  });
});

it('answers as the sandbox does when the register holds what the sandbox holds', async () => {
  const sandbox = sandboxRegister({ slowAnswerMs: 0 });
  server.hold(...REAL_UNITS.map(recordOf), ...sandboxUnits.dissolved.map((unit) => deletedRecordOf(unit)));
  const answering = [...TRAPS].filter(([, trap]) => trap.outcome !== 'unavailable').map(([orgnr]) => orgnr);
  for (const orgnr of answering) {
    const answer = await sandbox.find(orgnr);
    if (answer.outcome === 'found') server.hold(recordOf(answer.unit));
    if (answer.outcome === 'removed') server.remove(orgnr, answer.on);
    if (answer.outcome === 'dissolved') {
      server.hold(deletedRecordOf({ orgnr, name: 'SLETTET PRØVE AS', org_form: 'AS', on: answer.on }));
    }
  }

  const numbers = [...REAL_UNITS, ...sandboxUnits.dissolved].map(({ orgnr }) => orgnr);
  for (const orgnr of [...numbers, ...answering]) {
    expect(await register.find(orgnr)).toEqual(await sandbox.find(orgnr));
  }
});

it('reports the address of the register and the state of the calls to it', async () => {
  await register.find(UNIT);
  expect(await register.status()).toEqual({
    source: 'national',
    facts: {
      address: server.baseUrl,
      breaker: 'closed',
      asked_again_in_seconds: null,
      calls_under_way: 0,
      calls_in_line: 0,
      last_answer: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      last_trouble: null,
    },
    gauges: { breaker_open: 0, calls_under_way: 0, calls_in_line: 0 },
  });
});

const FOUND = {
  ...NOT_STATED,
  orgnr: UNIT,
  name: 'ALMINNELIG PRØVE AS',
  org_form: 'AS',
  registered_at: '2015-06-01',
  employees: 12,
  nace_primary: '62.100',
  email_address: 'post@alminnelig.example',
  phone_number: null,
  mobile_number: null,
  website_url: 'www.alminnelig.example',
};
