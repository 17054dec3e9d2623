import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { deletedRecordOf, recordOf } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { RegisterUnavailable, type Register } from '../register.ts';
import { REAL_UNITS } from '../sandbox/sandbox.ts';
import { nationalRegister } from './client.ts';

const EQUINOR = REAL_UNITS.find(({ orgnr }) => orgnr === '923609016')!;

let server: RegisterServer;
let register: Register;
/** What performance.now() says: it stands still, so that no test depends on how fast it runs. */
let clock = 0;

beforeEach(async () => {
  server = await startRegisterServer();
  server.hold(...REAL_UNITS.map(recordOf));
  register = registerWaiting(100_000);
  clock = 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const registerWaiting = (timeoutMs: number) =>
  nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs });

const paths = () => server.requests.map(({ path }) => path);

async function troubleOf(search: Promise<unknown>): Promise<RegisterUnavailable> {
  const error: unknown = await search.catch((cause: unknown) => cause);
  if (!(error instanceof RegisterUnavailable)) throw new Error(`not unavailable: ${JSON.stringify(error)}`);
  return error;
}

describe('a search without a mirror', () => {
  test('asks the register for units by name', async () => {
    expect(await register.search('Équinor  ASA', 10)).toEqual([EQUINOR]);
    expect(server.requests).toMatchObject([
      {
        path: '/enheter?navn=%C3%A9quinor+asa&size=20',
        accept: 'application/vnd.brreg.enhetsregisteret.enhet.v2+json',
        userAgent: 'test',
      },
    ]);
    expect(await register.search('finnes ikke', 10)).toEqual([]);
    expect(await register.search('&&', 10)).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test('looks up a complete number', async () => {
    expect(await register.search('923 609 016', 10)).toEqual([EQUINOR]);
    expect(paths()).toEqual(['/enheter/923609016']);
    server.hold(deletedRecordOf({ orgnr: '864139442', name: 'X', org_form: 'FLI', on: '2026-01-01' }));
    expect(await register.search('864139442', 10)).toEqual([]);
  });

  test('is remembered for a minute, whatever its limit, letter case and spaces', async () => {
    const [one] = await register.search('norges', 1);
    expect((await register.search(' NORGES ', 20))[0]).toEqual(one);
    await Promise.all([register.search('dnb', 5), register.search('DNB', 5)]);
    expect(server.requests).toHaveLength(2);
    clock += 61_000;
    const askedAgain = async () => {
      await register.search('norges', 1);
      return server.requests.length;
    };
    await expect.poll(askedAgain).toBe(3);
  });

  test('is sent at most five times in any second; what is remembered is still answered', async () => {
    for (const q of ['a', 'b', 'c', 'd', 'e']) await register.search(q, 10);
    const { retryAfterSeconds, message, fault } = await troubleOf(register.search('f', 10));
    expect([retryAfterSeconds, message, fault]).toEqual([1, 'the register is searched too often', 'limit']);
    expect(await register.search('a', 10)).toEqual(await register.search('A', 10));
    expect(server.requests).toHaveLength(5);
    clock += 999;
    await troubleOf(register.search('f', 10));
    clock += 1;
    await register.search('f', 10);
    expect(server.requests).toHaveLength(6);
    // Look-ups have limits of their own.
    expect(await register.find(EQUINOR.orgnr)).toMatchObject({ outcome: 'found' });
  });

  test('leaves out a record that cannot be read', async () => {
    const broken = { ...recordOf(EQUINOR), organisasjonsnummer: '811111111', antallAnsatte: 'mange' };
    server.hold(broken);
    expect(await register.search('equinor asa', 10)).toEqual([EQUINOR]);
  });
});

describe('a search is unavailable, and not remembered, when the register', () => {
  test.each<[string, misbehaviour.Misbehaviour, RegExp, number]>([
    ['fails', misbehaviour.failing(500), /answers 500/, 5],
    ['asks for a pause', misbehaviour.failing(429, { 'retry-after': '7' }), /answers 429/, 7],
    ['has no such list', misbehaviour.failing(404), /answers 404/, 5],
    ['refuses the words', misbehaviour.failing(400), /a search with 400/, 5],
    ['redirects', misbehaviour.redirecting('http://127.0.0.1:9/'), /answers 302/, 5],
    ['sends a page for people', misbehaviour.html(), /media type/, 5],
    ['sends a unit', misbehaviour.saying(JSON.stringify(recordOf(EQUINOR))), /no page/, 5],
    ['sends garbage', misbehaviour.saying('{"_embedded"'), /broken JSON/, 5],
    ['hangs up', misbehaviour.hangingUp(), /does not answer/, 5],
    [
      'has changed the form of its records',
      misbehaviour.saying('{"_embedded":{"enheter":[{"orgnr":1}]},"page":{"totalElements":1}}'),
      /no unit/,
      5,
    ],
  ])('%s', async (_, how, reason, seconds) => {
    server.misbehave(how);
    const trouble = await troubleOf(register.search('equinor', 10));
    expect(trouble.message).toMatch(reason);
    expect(trouble.retryAfterSeconds).toBe(seconds);
    // A search is not retried: retries could exceed five a second.
    expect(server.requests).toHaveLength(1);
  });

  test('does not answer', async () => {
    server.misbehave(misbehaviour.hanging());
    const { message, retryAfterSeconds } = await troubleOf(registerWaiting(300).search('equinor', 10));
    expect([message, retryAfterSeconds]).toEqual([expect.stringContaining('no answer within'), 5]);
    // A search that is given up so soon may not have reached the register at all.
    expect(server.requests.length).toBeLessThan(2);
  });

  test('has failed, until it answers again', async () => {
    server.misbehave(misbehaviour.failing(503), { times: 1 });
    await troubleOf(register.search('equinor asa', 10));
    expect(await register.search('equinor asa', 10)).toEqual([EQUINOR]);
  });

  test('has failed five times: the breaker stops look-ups too', async () => {
    server.misbehave(misbehaviour.failing(503));
    for (const q of ['a', 'b', 'c', 'd', 'e']) await troubleOf(register.search(q, 10));
    clock += 2_000;
    await troubleOf(register.search('f', 10));
    await troubleOf(register.find(EQUINOR.orgnr));
    expect(server.requests).toHaveLength(5);
  });
});
