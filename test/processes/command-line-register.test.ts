import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { html, saying } from '../register-misbehaviour.ts';
import { fullSubUnitRecord, recordOf } from '../register-records.ts';
import { startRegisterServer, type RegisterServer } from '../register-server.ts';
import { endWithFile, kundebok, kundebokHere, ownDatabase } from '../service.ts';
import { generatedOrgnr } from '../generated-orgnr.ts';
import { generatedUnit } from '../../src/register/sandbox/generated.ts';

endWithFile();

const DATABASE_URL = await ownDatabase();
const BRANCH = '973152351';

let server: RegisterServer;
let settings: Record<string, string>;

beforeEach(async () => {
  server = await startRegisterServer();
  settings = { REGISTER: 'national', REGISTER_URL: server.baseUrl, DATABASE_URL };
  server.hold(
    ...Array.from({ length: 5 }, (_, index) => recordOf(generatedUnit(generatedOrgnr(index)))),
    fullSubUnitRecord(BRANCH),
  );
  for (const kind of ['enheter', 'underenheter'] as const) {
    const dato = new Date().toISOString();
    server.announce({ dato, organisasjonsnummer: generatedOrgnr(0), endringstype: 'Ny' }, kind);
  }
});
afterEach(() => server.stop());

test('register check reports on everything that the service needs', async () => {
  const { code, stdout } = await kundebok(['register', 'check', '--json'], settings);
  const findings = JSON.parse(stdout) as { check: string; ok: boolean; found: string }[];
  expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
    ['unit', true],
    ['branch', true],
    ['unknown number', true],
    ['search by name', true],
    ['feed of unit changes', true],
    ['feed of branch changes', true],
    ['file of units', true],
    ['file of branches', true],
  ]);
  expect(findings[0]!.found).toContain('974760673 is REGISTERENHETEN I BRØNNØYSUND');
  expect(findings[6]!.found).toMatch(/5 records read \(stated: employees \d, nace_primary 5/);
  expect(code).toBe(0);
});

test('register check says what is wrong, and ends with 1', async () => {
  server.misbehave(html(), { path: '/underenheter' });
  server.misbehave(saying('{}'), { path: '/oppdateringer/enheter' });
  const { code, stdout, stderr } = await kundebok(['register', 'check'], settings);
  const lines = stdout.split('\n').filter((line) => /^(ok|FAIL)/.test(line));
  expect(lines.map((line) => line.slice(0, 4))).toEqual([
    'ok  ',
    'FAIL',
    'FAIL',
    'ok  ',
    'FAIL',
    'FAIL',
    'ok  ',
    'FAIL',
  ]);
  expect(stdout).toContain('media type text/html');
  expect(stdout).toContain('the register has changed its format');
  expect([code, stderr]).toEqual([1, '5 of 8 checks failed\n']);
});

test('register check notices an address that knows nothing', async () => {
  const { code, stdout } = await kundebokHere(['register', 'check'], {
    ...settings,
    REGISTER_URL: `${server.baseUrl}/x`,
  });
  expect(stdout).toContain('check REGISTER_URL');
  expect(stdout).not.toContain('ok  ');
  expect(code).toBe(1);
});

test('register check says what to do about a register that cannot be reached', async () => {
  await server.stop();
  const { code, stdout } = await kundebokHere(['register', 'check'], settings);
  const faults = stdout.split('\n').filter((line) => line.startsWith('FAIL'));
  expect(faults).toHaveLength(8);
  for (const fault of faults) {
    expect(fault).toContain('ECONNREFUSED: check REGISTER_URL and the network');
  }
  expect(stdout).not.toContain('another day');
  expect(code).toBe(1);
});

const hasIPv6 = Object.values(networkInterfaces()).some((own) =>
  own?.some(({ address }) => address === '::1'),
);

test.each([
  { HOST: '0.0.0.0', own: '127.0.0.1' },
  { HOST: '::', own: '127.0.0.1' },
  ...(hasIPv6 ? [{ HOST: '::1', own: '::1' }] : []),
])('register status asks the service for the state of its breaker: HOST=$HOST', async ({ HOST, own }) => {
  const service = createServer((_, answer) => answer.end('register_breaker_open 0\n')).listen(0, own);
  await once(service, 'listening');
  onTestFinished(() => void service.close());
  const PORT = String((service.address() as AddressInfo).port);
  const { stdout } = await kundebokHere(['register', 'status', '--json'], { ...settings, HOST, PORT });
  expect(JSON.parse(stdout).breaker).toBe('closed');
});

test('the progress of an import begins with an unknown time left, and ends with none', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'kundebok-')), 'units.json.gz');
  // The packed file is read in one piece, which unpacks to many.
  const records = Array.from({ length: 2_000 }, (_, index) => recordOf(generatedUnit(generatedOrgnr(index))));
  await writeFile(file, gzipSync(JSON.stringify(records, null, 2)));
  const { code, stderr } = await kundebok(['register', 'import', file], settings);
  expect(stderr).toMatch(/ 0%, \? left, \d+ units in 0s\n.* 100%, 0s left, 2000 units in \d+s\n/);
  expect(code).toBe(0);
});
