import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../src/keys/permissions.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase, ROOT, startService } from './service.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const NOBODY = '00000000-0000-0000-0000-000000000000';

endWithFile();
const settings = { DATABASE_URL: await ownDatabase() };
const service = await startService(settings);
afterAll(() => service.stop());

let workspace: string;
let owner: string;

beforeAll(async () => {
  const names = ['--owner-first-name', 'Kari', '--owner-last-name', 'Nordmann'];
  const args = ['workspace', 'create', '--name', 'Nordmann Handel', '--owner-email', 'kari@example.no'];
  ({ workspace_id: workspace, user_id: owner } = await kundebokJson([...args, ...names], settings));
});

function keyArgs(...more: string[]): string[] {
  return ['key', 'create', '--workspace', workspace, '--user', owner, '--permissions', ...more];
}

function memberArgs(email: string): string[] {
  const names = ['--first-name', 'Ola', '--last-name', 'Hansen'];
  return ['user', 'add', '--workspace', workspace, '--email', email, ...names];
}

function statusOf(token: string, path = '/me'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(service.address + path, { headers }).then(({ status }) => status);
}

/** Standard output of a command that must succeed. */
async function told(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kundebok(args, settings);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

test('lists are tables for people and JSON for scripts', async () => {
  const [table, rows] = await Promise.all([
    told('workspace', 'list'),
    kundebokJson(['workspace', 'list'], settings),
  ]);
  expect(table.split('\n')[0]).toMatch(/^workspace_id +name +created_at$/);
  expect(table).toContain(`${workspace}  Nordmann Handel`);
  expect(rows).toMatchObject([{ name: 'First workspace' }, { workspace_id: workspace }]);
});

test('an empty list says so to people and is empty for scripts', async () => {
  const empty = { DATABASE_URL: await ownDatabase() };
  expect(await kundebok(['workspace', 'list'], empty)).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  expect(await kundebokJson(['key', 'list'], empty)).toEqual([]);
});

test('the address of the database is printed for other tools', async () => {
  expect(await kundebok(['database-url'], settings)).toEqual({
    code: 0,
    stdout: `${settings.DATABASE_URL}\n`,
    stderr: '',
  });
  const nowhere = await kundebok(['database-url'], { DATA_DIR: '/nonexistent/kundebok' });
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toContain('start the service');
});

test('a member is added once, and known by the address in any case', async () => {
  const { user_id } = await kundebokJson(memberArgs('Ola@example.no'), settings);
  expect(user_id).toEqual(UUID);
  const again = await kundebok(memberArgs('ola@EXAMPLE.no'), settings);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('ola@EXAMPLE.no is a member of this workspace already');
  expect(await kundebokJson(['user', 'list'], settings)).toContainEqual({
    workspace_id: workspace,
    user_id,
    email: 'Ola@example.no',
    first_name: 'Ola',
    last_name: 'Hansen',
    role: 'member',
  });
});

test('a key does what it was made for, and nothing within a second of being revoked', async () => {
  const args = keyArgs('companies:read,tasks:read', '--name', 'shop', '--expires-at');
  const made = await kundebokJson([...args, '2099-01-01T00:00:00+01:00'], settings);
  expect(made).toEqual({
    key_id: made.key.slice(3, 15),
    key: expect.stringMatching(/^kb_/),
    permissions: 17,
  });
  expect(await statusOf(made.key)).toBe(200);
  expect(await statusOf(made.key, '/companies')).toBe(200);
  expect(await statusOf(made.key, `/offers/${NOBODY}`)).toBe(403);
  const [list, rows] = await Promise.all([told('key', 'list'), kundebokJson(['key', 'list'], settings)]);
  expect(list).toContain('companies:read,tasks:read');
  expect(list).not.toContain(made.key);
  expect(rows).toContainEqual({
    workspace_id: workspace,
    key_id: made.key_id,
    user_id: owner,
    name: 'shop',
    permissions: 17,
    created_at: expect.any(String),
    expires_at: '2098-12-31T23:00:00.000Z',
    revoked_at: null,
  });
  const { revoked_at } = await kundebokJson(['key', 'revoke', made.key_id], settings);
  await expect.poll(() => statusOf(made.key), { timeout: 1_000, interval: 10 }).toBe(401);
  const again = await kundebokJson(['key', 'revoke', made.key_id], settings);
  expect(again).toEqual({ key_id: made.key_id, revoked_at });
});

test('a key for people is shown with its permissions', async () => {
  const lines = (await told(...keyArgs('all'))).trim().split('\n');
  expect(lines.map((line) => line.split(/ +/)[0])).toEqual(['key_id', 'key', 'permissions']);
  expect(lines[2]).toContain('255');
  expect(await statusOf(lines[1]!.split(/ +/)[1]!)).toBe(200);
});

test('a company is archived, deleted and brought back as it was', async () => {
  const { key } = await kundebokJson(keyArgs('all'), settings);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const path = '/companies/982463718';
  const create = () =>
    fetch(`${service.address}/companies`, { method: 'POST', headers, body: '{"orgnr":"982463718"}' });
  const { data } = (await (await create()).json()) as { data: object };
  const flag = (action: string) =>
    kundebokJson(['company', action, '982463718', '--workspace', workspace], settings);
  const read = async () => (await fetch(service.address + path, { headers })).json();

  expect(await flag('archive')).toMatchObject({ orgnr: '982463718', is_archived: true, is_deleted: false });
  expect(await read()).toEqual({ data: { ...data, is_archived: true } });
  expect(await flag('unarchive')).toMatchObject({ is_archived: false });
  expect(await flag('delete')).toMatchObject({ is_deleted: true });
  expect(await statusOf(key, path)).toBe(404);
  expect((await create()).status).toBe(409);
  expect(await flag('restore')).toMatchObject({ is_deleted: false });
  expect(await read()).toEqual({ data });
});

test('openapi prints the file in the repository', async () => {
  // Compared as a whole: the difference would be thousands of lines.
  expect((await told('openapi')) === (await readFile(`${ROOT}openapi.json`, 'utf8'))).toBe(true);
});

test('--version prints that of the package', async () => {
  const { version } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')) as { version: string };
  expect(await told('--version')).toBe(`${version}\n`);
});

/** A mistake: what was typed, the exit code, what standard error must say. */
type Mistake = [what: string, args: () => string[], code: 1 | 2, says: RegExp];

const mistakes: Mistake[] = [
  ['an unknown command', () => ['frobnicate'], 2, /unknown command 'frobnicate'/],
  ['an unknown option', () => ['doctor', '--fast'], 2, /unknown option '--fast'/],
  ['a missing option', () => ['user', 'add'], 2, /--workspace <id>' not specified/],
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
  ['permissions that are none', () => keyArgs('companies:read,cake:eat'), 2, /does not know cake:eat/],
  [
    'an expiry without an offset',
    () => keyArgs('all', '--expires-at', '2030-01-01T00:00'),
    2,
    /--expires-at/,
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

describe.concurrent('a mistake is told on standard error, without a stack, and ends the command:', () => {
  test.each(mistakes)('%s', async (_, args, code, says) => {
    const ended = await kundebok(args(), settings);
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });
});

test('for scripts a mistake is told as JSON', async () => {
  const { code, stdout, stderr } = await kundebok(['key', 'revoke', 'nothing', '--json'], settings);
  expect([code, stdout]).toEqual([1, '']);
  expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining('no key nothing') });
});

test('what can be permitted is told by the one who asks for something else', async () => {
  const { stderr } = await kundebok(keyArgs('everything'), settings);
  for (const name of PERMISSIONS) expect(stderr).toContain(name);
});

test('a port that is taken is told', async () => {
  const { port } = new URL(service.address);
  const { code, stdout, stderr } = await kundebok(['serve'], { ...settings, PORT: port });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken: stop what uses it, or set PORT`);
  expect(stderr).not.toMatch(/^ +at /m);
});
