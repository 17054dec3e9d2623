import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  cuttingOff,
  failing,
  halving,
  hanging,
  hangingUp,
  html,
  redirecting,
  type Misbehaviour,
} from '../../../../test/register-misbehaviour.ts';
import { fullSubUnitRecord, recordOf } from '../../../../test/register-records.ts';
import { emptyMirror } from '../../../../test/mirrored-register.ts';
import { startRegisterServer, type RegisterServer } from '../../../../test/register-server.ts';
import { createWorld } from '../../../../test/world.ts';
import { loadConfig } from '../../../config.ts';
import { importCommand } from '../../import-command.ts';
import { downloadSources } from './download.ts';
import { importRegister } from './import.ts';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { generatedUnit } from '../../sandbox/generated.ts';

const world = await createWorld();
const { databaseUrl } = world;
const query: typeof world.query = (text, values) => world.query(text, values);
const RECORDS = Array.from({ length: 300 }, (_, index) => recordOf(generatedUnit(generatedOrgnr(index))));

let server: RegisterServer;

beforeEach(async () => {
  await emptyMirror(world);
  server = await startRegisterServer();
  server.hold(...RECORDS, fullSubUnitRecord('311777777'));
});
afterEach(() => server.stop());

function download(maxSilenceMs?: number) {
  const sources = downloadSources({
    baseUrl: server.baseUrl,
    userAgent: 'Kundebok (a@b.example)',
    maxSilenceMs,
  });
  return importRegister({ databaseUrl, sources });
}

const mirror = async () => (await query('select * from register_mirror'))[0];
const count = async () => (await query('select count(*)::int as count from register_units'))[0].count;

/** The right answer, with more headers. */
const adding =
  (headers: Record<string, string>): Misbehaviour =>
  ({ response, right }) =>
    void response.writeHead(right.status, { ...right.headers, ...headers }).end(right.body);

it('a download takes both lists from the register, each asked for once and by its media type', async () => {
  expect(await download()).toEqual({ units: 300, branches: 1, unreadable: 0, duplicates: 0 });
  expect(server.requests.map(({ path, accept, userAgent }) => [path, accept, userAgent])).toEqual([
    ['/enheter/lastned', 'application/vnd.brreg.enhetsregisteret.enhet.v2+gzip', 'Kundebok (a@b.example)'],
    [
      '/underenheter/lastned',
      'application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip',
      'Kundebok (a@b.example)',
    ],
  ]);
});

it('the mirror counts as a day older than the register says, or as 36 hours old when it says nothing', async () => {
  await download();
  const age = Date.now() - (await mirror()).current_at.getTime();
  expect(age / 3_600_000).toBeCloseTo(36, 1);

  server.misbehave(adding({ 'last-modified': 'Sun, 20 Sep 2026 05:01:02 GMT' }));
  await download();
  expect(await mirror()).toMatchObject({ current_at: new Date('2026-09-19T05:01:02.000Z') });
});

it('a list that is gzipped as a content encoding is read, too', async () => {
  server.misbehave(adding({ 'content-encoding': 'gzip' }));
  expect(await download()).toMatchObject({ units: 300 });
});

it.each<[string, Misbehaviour, RegExp]>([
  ['is cut off', cuttingOff('length'), /list of units broke off .* try again on another day/],
  ['is cut off without a length', cuttingOff('chunked'), /broke off .* try again on another day/],
  ['ends too early', halving(), /list of units is cut off.* try again on another day/],
  ['is an HTML page', html(), /with media type text\/html.* try again on another day/],
  ['is redirected', redirecting('/enheter/lastned'), /with a redirect/],
  ['is refused for now', failing(429, { 'retry-after': '1' }), /with status 429: try again on another day/],
  ['fails', failing(500), /with status 500/],
  ['is not sent since the register hangs up', hangingUp(), /broke off \(\w+\)/],
])('a list that %s changes nothing and is not asked for again', async (_, how, why) => {
  expect(await requestsInVain(how, why)).toBe(1);
});

it('a list that is never begun changes nothing and is not asked for again', async () => {
  // The download gives up so soon that the request may not have arrived at all.
  expect(await requestsInVain(hanging(), /nothing came for 0.3 s/, 300)).toBeLessThan(2);
});

/**
 * Downloads twice: first with success, then in vain.
 * @param maxSilenceMs of the second download
 * @returns how many requests the second one sent
 */
async function requestsInVain(how: Misbehaviour, why: RegExp, maxSilenceMs?: number): Promise<number> {
  await download();
  const [before, asked] = [await mirror(), server.requests.length];
  server.misbehave(how);
  await expect(download(maxSilenceMs)).rejects.toThrow(why);
  expect(await mirror()).toEqual(before);
  expect(await count()).toBe(301);
  return server.requests.length - asked;
}

it('a download says to check REGISTER_URL and the network when the register cannot be reached', async () => {
  const failure = 'The download of the list of units failed:';
  const advice = 'check REGISTER_URL and the network';
  await server.stop();
  await expect(download()).rejects.toThrow(`${failure} ECONNREFUSED: ${advice}`);
  const sources = downloadSources({ baseUrl: 'http://register.invalid/api', userAgent: 'test' });
  await expect(importRegister({ databaseUrl, sources })).rejects.toThrow(
    new RegExp(`^${failure} (ENOTFOUND|EAI_AGAIN): ${advice}$`),
  );
});

it('a download changes nothing when only the second list is cut off', async () => {
  server.misbehave(cuttingOff('chunked'), { path: '/underenheter' });
  await expect(download()).rejects.toThrow('the list of branches broke off');
  expect(await count()).toBe(0);
});

it('a list that stops half-way is given up', async () => {
  server.misbehave(async ({ response, right }) => {
    response.writeHead(200, right.headers).write(right.body.subarray(0, 2_000));
  });
  await expect(download(300)).rejects.toThrow('nothing came for 0.3 s');
});

/** Carries out `register import`. @param refresh stands in for the refresh of companies after the import */
function run(words: string[], refresh: () => Promise<void> = async () => {}): Promise<unknown> {
  const program = new Command().exitOverride();
  const environment = { DATABASE_URL: databaseUrl, REGISTER_URL: server.baseUrl, REGISTER: 'national' };
  importCommand(program.command('register'), () => loadConfig(environment), refresh);
  return program.parseAsync(['register', 'import', ...words], { from: 'user' });
}

it('`register import --download` carries a download out and refreshes companies from the new mirror', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const seen: number[] = [];
  try {
    await run(['--download', '--json'], async () => void seen.push(await count()));
    expect(seen).toEqual([301]);
    expect(JSON.parse(log.mock.lastCall?.[0])).toEqual({
      units: 300,
      branches: 1,
      unreadable: 0,
      duplicates: 0,
      seconds: expect.any(Number),
    });
  } finally {
    log.mockRestore();
  }
});

it('`register import` says why it cannot be carried out', async () => {
  await expect(run([])).rejects.toThrow('Give the files to import, or --download');
  await expect(run(['a', '--download'])).rejects.toThrow('not both');
  server.misbehave(failing(503));
  const refresh = vi.fn<() => Promise<void>>();
  await expect(run(['--download', '--json'], refresh)).rejects.toMatchObject({ name: 'CommandError' });
  expect(refresh).not.toHaveBeenCalled();
});
