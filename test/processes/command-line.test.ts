import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { runSql } from '../database.ts';
import { endWithFile, kundebok, kundebokHere, kundebokJson, ownDatabase, ROOT } from '../service.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

endWithFile();
const settings = { DATABASE_URL: await ownDatabase() };
await runSql(
  settings.DATABASE_URL,
  "insert into workspaces (id, name) values (gen_random_uuid(), 'First workspace')",
);

let workspace: string;

beforeAll(async () => {
  const names = ['--owner-first-name', 'Kari', '--owner-last-name', 'Nordmann'];
  const args = ['workspace', 'create', '--name', 'Nordmann Handel', '--owner-email', 'kari@example.no'];
  ({ workspace_id: workspace } = await kundebokJson([...args, ...names], settings));
});

function memberArgs(email: string): string[] {
  const names = ['--first-name', 'Ola', '--last-name', 'Hansen'];
  return ['user', 'add', '--workspace', workspace, '--email', email, ...names];
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
    kundebokJson(['workspace', 'list'], settings, kundebokHere),
  ]);
  expect(table.split('\n')[0]).toMatch(/^workspace_id +name +created_at$/);
  expect(table).toContain(`${workspace}  Nordmann Handel`);
  expect(rows).toMatchObject([{ name: 'First workspace' }, { workspace_id: workspace }]);
});

test('an empty list says so to people and is empty for scripts', async () => {
  const empty = { DATABASE_URL: await ownDatabase() };
  expect(await kundebokHere(['workspace', 'list'], empty)).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  expect(await kundebokJson(['key', 'list'], empty, kundebokHere)).toEqual([]);
});

test('the address of the database is printed for other tools', async () => {
  expect(await kundebok(['database-url'], settings)).toEqual({
    code: 0,
    stdout: `${settings.DATABASE_URL}\n`,
    stderr: '',
  });
  const nowhere = await kundebokHere(['database-url'], { DATA_DIR: '/nonexistent/kundebok' });
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toContain('start the service');
});

test('a member is added once, and known by the address in any case', async () => {
  const { user_id } = await kundebokJson(memberArgs('Ola@example.no'), settings);
  expect(user_id).toEqual(UUID);
  const again = await kundebokHere(memberArgs('ola@EXAMPLE.no'), settings);
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

test.each([
  [
    ['--first-name', 'Åse', '--last-name', 'Berg', '--role', 'admin'],
    'ase@example.no',
    ['Åse', 'Berg', 'admin'],
  ],
  [[], 'inger@example.no', ['inger', '', 'member']],
])('an invitation takes its options: %j', async (options, email, [first_name, last_name, role]) => {
  const args = ['user', 'invite', '--workspace', workspace, '--email', email, ...options];
  const { user_id } = await kundebokJson(args, settings, kundebokHere);
  expect(await kundebokJson(['user', 'list'], settings, kundebokHere)).toContainEqual(
    expect.objectContaining({ user_id, email, first_name, last_name, role }),
  );
});

test('openapi prints the file in the repository', async () => {
  // Compared as a whole: the difference would be thousands of lines.
  expect((await told('openapi')) === (await readFile(`${ROOT}openapi.json`, 'utf8'))).toBe(true);
});

test('--version prints that of the package', async () => {
  const { version } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')) as { version: string };
  expect(await told('--version')).toBe(`${version}\n`);
});
