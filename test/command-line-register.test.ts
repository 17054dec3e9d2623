import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSql } from './database.ts';
import { html, saying } from './register-misbehaviour.ts';
import { fullSubUnitRecord, recordOf } from './register-records.ts';
import { startRegisterServer, type RegisterServer } from './register-server.ts';
import { endWithFile, kundebok, ownDatabase } from './service.ts';
import { generatedOrgnr } from './generated-orgnr.ts';
import { generatedUnit } from '../src/register/sandbox/generated.ts';

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

test('register check tells what it saw of everything the service needs', async () => {
  const { code, stdout } = await kundebok(['register', 'check', '--json'], settings);
  const findings = JSON.parse(stdout) as { check: string; ok: boolean; found: string }[];
  expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
    ['unit', true],
    ['branch', true],
    ['unknown number', true],
    ['feed of unit changes', true],
    ['feed of branch changes', true],
    ['file of units', true],
    ['file of branches', true],
  ]);
  expect(findings[0]!.found).toContain('974760673 is REGISTERENHETEN I BRØNNØYSUND');
  expect(findings[5]!.found).toMatch(/5 records read, of which state employees \d, nace_primary 5/);
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
    'FAIL',
    'FAIL',
    'ok  ',
    'FAIL',
  ]);
  expect(stdout).toContain('media type text/html');
  expect(stdout).toContain('the register has changed its form');
  expect([code, stderr]).toEqual([1, '5 of 7 checks failed\n']);
});

test('register check notices an address that knows nothing', async () => {
  const { code, stdout } = await kundebok(['register', 'check'], {
    ...settings,
    REGISTER_URL: `${server.baseUrl}/x`,
  });
  expect(stdout).toContain('check REGISTER_URL');
  expect(stdout).not.toContain('ok  ');
  expect(code).toBe(1);
});

test('register check says what to do about a register that cannot be reached', async () => {
  await server.stop();
  const { code, stdout } = await kundebok(['register', 'check'], settings);
  const faults = stdout.split('\n').filter((line) => line.startsWith('FAIL'));
  expect(faults).toHaveLength(7);
  for (const fault of faults) {
    expect(fault).toContain('ECONNREFUSED: check REGISTER_URL and the network');
  }
  expect(stdout).not.toContain('another day');
  expect(code).toBe(1);
});

test('a feed that is not a feed ends a sync with 1, and doctor and status say so', async () => {
  await runSql(
    DATABASE_URL,
    `insert into register_mirror (imported_at, current_at) values (now(), now());
     insert into register_feeds (kind, since) select unnest('{unit,branch}'::text[]), now() - interval '1 day'`,
  );
  const good = await kundebok(['register', 'sync', '--json'], settings);
  expect([good.code, JSON.parse(good.stdout)]).toEqual([0, { changes: 2 }]);
  expect((await kundebok(['doctor'], settings)).stdout).toContain('ok    mirror');

  server.misbehave(saying('{}'), { path: '/oppdateringer' });
  const sync = await kundebok(['register', 'sync'], settings);
  expect(sync.code).toBe(1);
  expect(sync.stderr).toMatch(/^The mirror is not up to date: the feed of unit changes answers with no page/);
  const doctor = await kundebok(['doctor', '--json'], settings);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.stdout).find(({ check }: { check: string }) => check === 'mirror')).toMatchObject({
    ok: false,
    found: expect.stringContaining('the last sync failed'),
  });
  const status = await kundebok(['register', 'status', '--json'], settings);
  expect(JSON.parse(status.stdout)).toMatchObject({
    source: 'national',
    mirror_relied_upon: true,
    errors: [expect.stringContaining('the last sync failed')],
    numbers_set_aside: 0,
  });
  server.behave();

  await runSql(
    DATABASE_URL,
    "update register_feeds set last_id = null, last_at = null, since = now() - interval '25 hours' where kind = 'branch'",
  );
  server.misbehave(saying('{"page":{"totalElements":0}}'), { path: '/oppdateringer/underenheter' });
  expect((await kundebok(['register', 'sync'], settings)).code).toBe(0);
  const warned = await kundebok(['doctor'], settings);
  expect(warned.stdout).toMatch(/^warn {2}mirror .*the feed of branch changes has had no entry since/m);
  expect(warned.code).toBe(0);
});
