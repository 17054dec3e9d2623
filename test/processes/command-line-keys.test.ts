import { afterAll, beforeAll, expect, test } from 'vitest';
import { endWithFile, kundebok, kundebokHere, kundebokJson, ownDatabase, startService } from '../service.ts';
import { answerWithinSecond } from '../until.ts';

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
  ({ workspace_id: workspace, user_id: owner } = await kundebokJson(
    [...args, ...names],
    settings,
    kundebokHere,
  ));
});

function keyArgs(...more: string[]): string[] {
  return ['key', 'create', '--workspace', workspace, '--user', owner, '--permissions', ...more];
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
  const [list, rows] = await Promise.all([
    told('key', 'list'),
    kundebokJson(['key', 'list'], settings, kundebokHere),
  ]);
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
  expect(await answerWithinSecond(() => statusOf(made.key, '/companies'), 401)).toBe(401);
  const again = await kundebokJson(['key', 'revoke', made.key_id], settings, kundebokHere);
  expect(again).toEqual({ key_id: made.key_id, revoked_at });
});

test('without --json, a new key is shown with its permissions', async () => {
  const lines = (await told(...keyArgs('all'))).trim().split('\n');
  expect(lines.map((line) => line.split(/ +/)[0])).toEqual(['key_id', 'key', 'permissions']);
  expect(lines[2]).toContain('255');
  expect(await statusOf(lines[1]!.split(/ +/)[1]!)).toBe(200);
});

test('a company is archived, deleted and brought back as it was', async () => {
  const { key } = await kundebokJson(keyArgs('all'), settings, kundebokHere);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const path = '/companies/982463718';
  const create = () =>
    fetch(`${service.address}/companies`, { method: 'POST', headers, body: '{"orgnr":"982463718"}' });
  const { data } = (await (await create()).json()) as { data: object };
  const flag = (action: string, run = kundebokHere) =>
    kundebokJson(['company', action, '982463718', '--workspace', workspace], settings, run);
  const read = async () => (await fetch(service.address + path, { headers })).json();

  expect(await flag('archive', kundebok)).toMatchObject({
    orgnr: '982463718',
    is_archived: true,
    is_deleted: false,
  });
  expect(await read()).toEqual({ data: { ...data, is_archived: true } });
  expect(await flag('unarchive')).toMatchObject({ is_archived: false });
  expect(await flag('delete')).toMatchObject({ is_deleted: true });
  expect(await statusOf(key, path)).toBe(404);
  expect((await create()).status).toBe(409);
  expect(await flag('restore')).toMatchObject({ is_deleted: false });
  expect(await read()).toEqual({ data });
});
