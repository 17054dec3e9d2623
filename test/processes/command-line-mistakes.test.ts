import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../../src/keys/permissions.ts';
import { runSql } from '../database.ts';
import { endWithFile, kundebok, kundebokHere, ownDatabase } from '../service.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';

endWithFile();
const settings = { DATABASE_URL: await ownDatabase() };
const workspace = randomUUID();
const owner = randomUUID();
await runSql(
  settings.DATABASE_URL,
  `insert into workspaces (id, name) values ('${workspace}', 'Nordmann Handel');
   insert into users (id, email, first_name, last_name) values ('${owner}', 'kari@example.no', 'Kari', 'Nordmann');
   insert into memberships (tenant_id, user_id, role) values ('${workspace}', '${owner}', 'owner')`,
);

function keyArgs(...more: string[]): string[] {
  return ['key', 'create', '--workspace', workspace, '--user', owner, '--permissions', ...more];
}

function memberArgs(email: string): string[] {
  const names = ['--first-name', 'Ola', '--last-name', 'Hansen'];
  return ['user', 'add', '--workspace', workspace, '--email', email, ...names];
}

/** A mistake: what was typed, the exit code, what standard error must say. */
type Mistake = [what: string, args: () => string[], code: 1 | 2, says: RegExp];

const mistakes: Mistake[] = [
  ['an unknown command', () => ['frobnicate'], 2, /unknown command 'frobnicate'/],
  ['an unknown option', () => ['doctor', '--fast'], 2, /unknown option '--fast'/],
  [
    'a setting as an option',
    () => ['serve', '--host', '0.0.0.0'],
    2,
    /^unknown option '--host': set HOST in the environment\n$/,
  ],
  [
    'a setting as an option, with a password',
    () => ['serve', '--database-url=postgres://kari:secret@host/db'],
    2,
    /^unknown option '--database-url': set DATABASE_URL in the environment\n$/,
  ],
  ['a missing option', () => ['user', 'add'], 2, /--workspace <id>' not specified/],
  [
    'several missing options',
    () => ['workspace', 'create', '--name', 'Nordmann Handel'],
    2,
    /^.*'--owner-email <email>' not .*\n.*'--owner-first-name <name>' not .*\n.*'--owner-last-name <name>' not .*\n$/,
  ],
  ['a missing argument', () => ['key', 'revoke'], 2, /missing required argument 'key-id'/],
  [
    'an unknown workspace',
    () => memberArgs('a@b.no').with(3, NOBODY),
    1,
    /no workspace 0{8}.*workspace list/,
  ],
  ['a workspace that is no id', () => memberArgs('a@b.no').with(3, 'mine'), 2, /--workspace must be a uuid/i],
  ['an unknown user', () => keyArgs('all').with(5, NOBODY), 1, /not a member of workspace.*user list/],
  ['a key of another workspace', () => keyArgs('all').with(3, NOBODY), 1, /not a member of workspace/],
  ['an unknown key', () => ['key', 'revoke', 'nothing'], 1, /no key nothing.*key list/],
  [
    'permissions that do not exist',
    () => keyArgs('companies:read,cake:eat'),
    2,
    /unknown permissions \(cake:eat\)/,
  ],
  [
    'an expiry without an offset',
    () => keyArgs('all', '--expires-at', '2020-01-01T00:00'),
    2,
    /^(?!.*in the future).*--expires-at must/s,
  ],
  [
    'an expiry in the past',
    () => keyArgs('all', '--expires-at', '2020-01-01T00:00:00Z'),
    2,
    /--expires-at must be in the future/,
  ],
  ['a day that is none', () => keyArgs('all', '--expires-at', '2030-02-30T00:00Z'), 2, /--expires-at/],
  [
    'an unknown company',
    () => ['company', 'archive', '923609016', '--workspace', workspace],
    1,
    /has no company 923609016/,
  ],
  [
    'several at once',
    () => memberArgs('nobody').with(7, ' '),
    2,
    /--email must be a valid email address\n--first-name must not be blank/,
  ],
];

/** One mistake of each exit code, with and without the database, is made in a process of its own. */
const APART = new Set(['an unknown command', 'an unknown workspace']);

describe.concurrent('a mistake is reported on standard error, without a stack, and ends the command:', () => {
  test.each(mistakes)('%s', async (what, args, code, says) => {
    const ended = await (APART.has(what) ? kundebok : kundebokHere)(args(), settings);
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });
});

describe.concurrent('besides,', () => {
  test('for scripts a mistake is reported as JSON', async () => {
    const { code, stdout, stderr } = await kundebok(['key', 'revoke', 'nothing', '--json'], settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining('no key nothing') });
  });

  test('an unknown permission is answered with those that exist', async () => {
    const { stderr } = await kundebokHere(keyArgs('everything'), settings);
    for (const name of PERMISSIONS) expect(stderr).toContain(name);
  });

  test.each(['fe80::1', 'nowhere.invalid', '192.0.2.1'])(
    'an address where it cannot listen is reported: %s',
    async (HOST) => {
      const { code, stdout, stderr } = await kundebok(['serve'], { ...settings, HOST, PORT: '0' });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^The service cannot listen on .+:0 \(E\w+\): set HOST and PORT$/m);
      expect(stderr).not.toMatch(/^ +at /m);
    },
  );

  test('a folder that cannot be made is reported', async () => {
    const { code, stderr } = await kundebok(['serve'], { DATA_DIR: join(tmpdir(), 'x'.repeat(300)) });
    expect(code).toBe(1);
    expect(stderr).toContain('; set DATA_DIR to a folder that this user may write to\n');
  });

  test('a port that is taken is reported', async ({ onTestFinished }) => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, stdout, stderr } = await kundebok(['serve'], { ...settings, PORT: String(port) });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken: stop what uses it, or set PORT`);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

test.each([[['user', 'list']], [['backup', join(tmpdir(), 'empty.backup')]], [['key', 'list']]])(
  'a folder without data is reported, not taken for an empty database: %j',
  async (args) => {
    const DATA_DIR = join(tmpdir(), `kundebok-nowhere-${randomUUID()}`);
    const { code, stdout, stderr } = await kundebok(args, { DATA_DIR });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`There are no data in ${DATA_DIR}: set DATA_DIR to the folder of the service`);
    expect(existsSync(DATA_DIR)).toBe(false);
  },
);
