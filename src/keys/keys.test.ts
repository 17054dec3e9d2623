import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { answerWithinSecond } from '../../test/until.ts';
import { createWorld } from '../../test/world.ts';
import { digestOf, idOf, newKey } from './key.ts';
import { ALL_PERMISSIONS, maskOf, namesOf } from './permissions.ts';

const world = await createWorld();

test('a key shows its workspace, its creator and its permissions', async () => {
  const workspace = await world.workspace();
  const { client } = await workspace.key(['tasks:read', 'offers:write'], { user: workspace.member });
  const answer = await client.get('/me');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    data: { tenant_id: workspace.id, user_id: workspace.member.id, permissions: 16 + 128 },
  });
});

test('what is written is attributed to the creator of the key, not to the owner', async () => {
  const workspace = await world.workspace();
  const { client } = await workspace.key(255, { user: workspace.member });
  const { orgnr } = await workspace.company();
  const note = await client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
  expect(note.body.data.user_id).toBe(workspace.member.id);
});

/** Another key with the same public id, which two workspaces may come to have. */
function siblingOf(token: string): string {
  const unchecked = token.slice(0, 15) + newKey().token.slice(15, 43);
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const places = [5, 4, 3, 2, 1, 0].map((place) => digits[Math.floor(crc32(unchecked) / 62 ** place) % 62]);
  return unchecked + places.join('');
}

test('two keys with one public id in two workspaces each open their own', async () => {
  const [one, two] = [await world.workspace(), await world.workspace()];
  const first = await one.key();
  const second = siblingOf(first.token);
  await world.query(
    'insert into api_keys (tenant_id, id, user_id, digest, permissions) values ($1, $2, $3, $4, 255)',
    [two.id, first.id, two.owner.id, digestOf(second)],
  );
  expect((await first.client.get('/me')).body.data.tenant_id).toBe(one.id);
  expect((await world.client(second).get('/me')).body.data.tenant_id).toBe(two.id);
  expect((await world.client(siblingOf(first.token)).get('/me')).status).toBe(401);
});

test('a changed permission takes effect within a second', async () => {
  const workspace = await world.workspace();
  const { client, id } = await workspace.key(['companies:read']);
  expect((await client.get('/companies')).status).toBe(200);
  await world.query('update api_keys set permissions = 0 where id = $1', [id]);
  const status = async () => (await client.get('/companies')).status;
  expect(await answerWithinSecond(status, 403)).toBe(403);
});

test('the database holds nothing of a key but its public id and a digest', async () => {
  const workspace = await world.workspace();
  const { token, id } = await workspace.key();
  await world.client(token).get('/me');
  const [row] = await world.query('select *, api_keys::text as whole from api_keys where id = $1', [id]);
  expect(row.digest).toHaveLength(32);
  expect(row.whole).not.toContain(token.slice(3 + id.length));
});

test('a key has a fixed form, with its public id and a checksum over the rest', () => {
  const { id, token } = newKey();
  expect(token).toMatch(/^kb_[0-9A-Za-z]{46}$/);
  expect(idOf(token)).toBe(id);
  for (let place = 3; place < token.length; place++) {
    const other = token[place] === 'x' ? 'y' : 'x';
    expect(idOf(token.slice(0, place) + other + token.slice(place + 1))).toBeUndefined();
  }
});

test('no two keys are alike', () => {
  const keys = Array.from({ length: 1_000 }, () => newKey());
  expect(new Set(keys.map(({ id }) => id)).size).toBe(1_000);
  expect(new Set(keys.map(({ token }) => token.slice(15, 43))).size).toBe(1_000);
});

test('names and mask of permissions say the same', () => {
  expect(ALL_PERMISSIONS).toBe(255);
  for (let mask = 0; mask <= ALL_PERMISSIONS; mask++) expect(maskOf(namesOf(mask))).toBe(mask);
  expect(maskOf(['tasks:write', 'tasks:write'])).toBe(32);
});

test('a key whose creator may not erase contacts is refused, and the message says which key is needed', async () => {
  const workspace = await world.workspace();
  const { id } = await workspace.contact();
  const erase = async (permissions?: ['contacts:read']) => {
    const { client } = await workspace.key(permissions, { user: workspace.member });
    const { status, body } = await client.delete(`/contacts/${id}`);
    return [status, body.code, body.error];
  };
  const needed = 'use a key that a member with the role admin or owner created';
  expect(await erase()).toEqual([
    403,
    'forbidden',
    `The API key was created by a member whose role does not allow this: ${needed}`,
  ]);
  expect(await erase(['contacts:read'])).toEqual([
    403,
    'forbidden',
    `The API key lacks the permission contacts:write, and the role of its creator does not allow this: ${needed}`,
  ]);
});
