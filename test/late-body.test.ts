import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { idOf } from '../src/keys/key.ts';
import { createWorld, type Workspace } from './world.ts';

const world = await createWorld();

/** Sends the head of an invitation and waits until it was accepted. @returns a function that sends the body */
async function begin(workspace: Workspace, cookie: string, userId: string) {
  const body = JSON.stringify({ email: `late.${userId}@example.no` });
  await world.query('update memberships set last_used_at = null where user_id = $1', [userId]);
  const socket: Socket = connect(world.port, '127.0.0.1');
  socket.write(
    [
      'POST /app/api/members/invite HTTP/1.1',
      `Host: 127.0.0.1:${world.port}`,
      'Sec-Fetch-Site: same-origin',
      `Cookie: ${cookie}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body.slice(0, 5),
    ].join('\r\n'),
  );
  const letIn = 'select last_used_at from memberships where tenant_id = $1 and user_id = $2';
  await expect
    .poll(async () => (await world.query(letIn, [workspace.id, userId]))[0].last_used_at)
    .not.toBeNull();
  return async () => {
    socket.write(body.slice(5));
    return text(socket);
  };
}

test.each([
  ['removed', (id: string) => [`/members/${id}/remove`, {}] as const, 401],
  ['demoted', (id: string) => [`/members/${id}`, { role: 'member' }] as const, 403],
])('a request whose body comes after its sender was %s does nothing', async (_, change, status) => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const admin = await workspace.addMember({ first_name: 'Anne' }, 'admin');
  const session = await workspace.sessionOf(admin);
  // The session goes on in this workspace.
  const elsewhere = await world.workspace();
  await world.query(
    "insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'admin', now())",
    [elsewhere.id, admin.id],
  );
  const finish = await begin(workspace, `kundebok_session=${session}`, admin.id);
  const [path, body] = change(admin.id);
  const changed = path.endsWith('remove') ? await owner.post(path, body) : await owner.patch(path, body);
  expect(changed.status).toBe(200);
  expect(await finish()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const { body: members } = await owner.get('/members');
  const { body: others } = await (await elsewhere.signIn()).get('/members');
  const invited = [...members.data, ...others.data];
  expect(invited.filter(({ email }: { email: string }) => email.startsWith('late.'))).toEqual([]);
});

test.each([
  ['revoked', 'revoked_at = now()'],
  ['expired', "expires_at = now() - interval '1 minute'"],
])('a request whose body comes after its key was %s does nothing', async (_, change) => {
  const { client } = await world.workspace();
  const { token = '' } = client;
  await client.get('/me');
  const body = JSON.stringify({ name: 'Sent too late' });
  const socket = connect(world.port, '127.0.0.1');
  socket.write(
    [
      'POST /api/v1/contacts HTTP/1.1',
      `Host: 127.0.0.1:${world.port}`,
      `Authorization: Bearer ${token}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The service answers this once it has accepted the head.
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  );
  const [said] = await once(socket, 'data');
  expect(String(said)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  await world.query(`update api_keys set ${change} where id = $1`, [idOf(token)]);
  await expect.poll(async () => (await client.get('/me')).status).toBe(401);
  socket.write(body);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
  expect(await world.query("select from contacts where name = 'Sent too late'")).toEqual([]);
});
