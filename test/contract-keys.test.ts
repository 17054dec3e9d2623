import { describe, expect, test } from 'vitest';
import { newKey } from '../src/keys/key.ts';
import type { PermissionName } from '../src/keys/permissions.ts';
import { ask, methodOf, sampleOf } from './ask.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './operation.ts';
import { answerWithinSecond } from './until.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

/** The index of a name is its bit in the mask. */
const BITS: readonly PermissionName[] = [
  'companies:read',
  'companies:write',
  'contacts:read',
  'contacts:write',
  'tasks:read',
  'tasks:write',
  'offers:read',
  'offers:write',
];
const READS = BITS.filter((name) => name.endsWith(':read'));
const EVERY_MASK = Array.from({ length: 256 }, (_, mask) => mask);

const grants = (mask: number, name: PermissionName) => Math.floor(mask / 2 ** BITS.indexOf(name)) % 2 === 1;

function suffices(mask: number, { needs }: Operation): boolean {
  return needs === 'anyRead'
    ? READS.some((name) => grants(mask, name))
    : needs.every((name) => grants(mask, name));
}

/** A path of the operation with an id that does not exist; permissions are checked before anything is looked up. */
function emptyPath({ route }: Operation): string {
  return route
    .split(' ')[1]!
    .replace('{orgNr}', '000000000')
    .replace('{id}', '00000000-0000-0000-0000-000000000000');
}

const REFUSED = [401, 'unauthorized', 'Bearer'];

describe.each(OPERATIONS)('$route', (operation) => {
  const method = methodOf(operation);
  const path = emptyPath(operation);

  async function answered(headers: Record<string, string>) {
    const answer = await world.client().send({ method, path, headers });
    return [answer.status, answer.body.code, answer.headers['www-authenticate']];
  }

  const answeredTo = (token: string) => answered({ authorization: `Bearer ${token}` });

  test('asks for a key', async () => {
    expect(await answered({})).toEqual(REFUSED);
  });

  test('refuses credentials that are not a bearer key', async () => {
    const token = (await world.workspace()).client.token!;
    for (const authorization of [
      '',
      'Bearer',
      token,
      `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
      'Bearer x',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.replace('kb_', 'KB_')}`,
    ]) {
      expect([authorization, ...(await answered({ authorization }))]).toEqual([authorization, ...REFUSED]);
    }
    expect(await answered({ 'x-api-key': token })).toEqual(REFUSED);
  });

  test('refuses a key whose checksum is wrong and one that nobody made', async () => {
    const token = (await world.workspace()).client.token!;
    const last = token.endsWith('A') ? 'B' : 'A';
    expect(await answeredTo(token.slice(0, -1) + last)).toEqual(REFUSED);
    expect(await answeredTo(newKey().token)).toEqual(REFUSED);
  });

  test('refuses a key that was revoked, one that expired and one of a removed member', async () => {
    const workspace = await world.workspace();
    const expiresAt = new Date(Date.now() - 1);
    const orphan = await workspace.key(255, { user: workspace.member });
    await workspace.removeMember(workspace.member);
    expect(await answeredTo((await workspace.key(255, { revoked: true })).token)).toEqual(REFUSED);
    expect(await answeredTo((await workspace.key(255, { expiresAt })).token)).toEqual(REFUSED);
    expect(await answeredTo(orphan.token)).toEqual(REFUSED);
  });

  test('accepts a key that has the needed permissions and no others', async () => {
    const workspace = await world.workspace();
    const needs = operation.needs === 'anyRead' ? (['tasks:read'] as const) : operation.needs;
    const { client } = await workspace.key(needs);
    const answer = await ask(client, await sampleOf(operation, workspace));
    expect(answer.status).toBe(operation.success);
  });
});

test.each(OPERATIONS.filter(({ needs }) => needs.length > 0))(
  '$route names each permission that a key lacks',
  async (operation) => {
    const workspace = await world.workspace();
    const anyRead = operation.needs === 'anyRead';
    for (const missing of anyRead ? READS : operation.needs) {
      const others = anyRead ? BITS.filter((name) => !READS.includes(name)) : BITS;
      const { client } = await workspace.key(others.filter((name) => name !== missing));
      const answer = await client.send({ method: methodOf(operation), path: emptyPath(operation) });
      expect(answer.status).toBe(403);
      expect(answer.body.code).toBe('forbidden');
      const named = BITS.filter((name) => answer.body.error.includes(name));
      expect(named).toEqual(anyRead ? READS : [missing]);
      expect(answer.body.error).toBe(`The API key lacks the permission ${named.join(' or ')}`);
    }
  },
);

test('every operation accepts exactly the masks that grant what it needs', async () => {
  const workspace = await world.workspace();
  const wrong: string[] = [];
  for (const mask of EVERY_MASK) {
    const { client } = await workspace.key(mask);
    // An unknown query parameter is refused after permissions are checked and before anything is done.
    const asked = OPERATIONS.map(async (operation) => {
      const answer = await client.send({
        method: methodOf(operation),
        path: `${emptyPath(operation)}?unknown=1`,
      });
      const expected = suffices(mask, operation) ? 400 : 403;
      if (answer.status !== expected) wrong.push(`${operation.route} with mask ${mask}: ${answer.status}`);
    });
    await Promise.all(asked);
  }
  expect(wrong).toEqual([]);
});

test('a mask is shown as it is, within the whole range of safe integers', async () => {
  const workspace = await world.workspace();
  for (const mask of [0, 1, 255, 256, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -1, -(2 ** 53 - 1)]) {
    const { client } = await workspace.key(mask);
    expect((await client.get('/me')).body.data.permissions).toBe(mask);
  }
});

test('bits above the eight known ones grant nothing, and neither does a negative mask', async () => {
  const workspace = await world.workspace();
  for (const mask of [256, 2 ** 32, 2 ** 33, 2 ** 40, 2 ** 52, -1, -255, -256]) {
    const { client } = await workspace.key(mask);
    for (const operation of OPERATIONS.filter(({ needs }) => needs.length > 0)) {
      const answer = await client.send({ method: methodOf(operation), path: emptyPath(operation) });
      expect([operation.route, mask, answer.status]).toEqual([operation.route, mask, 403]);
    }
  }
});

test('bits above the eight known ones take nothing away', async () => {
  const workspace = await world.workspace();
  const { client } = await workspace.key(2 ** 53 - 1);
  expect((await client.get('/companies')).status).toBe(200);
  const { client: high } = await workspace.key(2 ** 40 + 1);
  expect((await high.get('/companies')).status).toBe(200);
  expect((await high.get('/tasks/00000000-0000-0000-0000-000000000000')).status).toBe(403);
});

test('the scheme is taken in upper and lower case, and with more than one space after it', async () => {
  const { client } = await world.workspace();
  for (const scheme of ['bearer ', 'BEARER ', 'Bearer  ']) {
    const answer = await client.send({ path: '/me', headers: { authorization: scheme + client.token } });
    expect(answer.status).toBe(200);
  }
});

test('a key that expires later works until then', async () => {
  const workspace = await world.workspace();
  const { client } = await workspace.key(255, { expiresAt: new Date(Date.now() + 60_000) });
  expect((await client.get('/me')).status).toBe(200);
});

test('a key that the process has cached stops working when it expires', async () => {
  const workspace = await world.workspace();
  const { client, id } = await workspace.key(255, { expiresAt: new Date(Date.now() + 60_000) });
  expect((await client.get('/me')).status).toBe(200);
  await world.query("update api_keys set expires_at = now() - interval '1 second' where id = $1", [id]);
  const status = async () => (await client.get('/companies')).status;
  expect(await answerWithinSecond(status, 401)).toBe(401);
});
