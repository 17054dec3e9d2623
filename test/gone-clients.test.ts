import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { holdTable } from './locks.ts';
import { hasCaughtUp } from './raw.ts';
import { waitingIn } from './waiting-requests.ts';
import { createWorld } from './world.ts';

test('a request whose client has gone before its turn is not begun', async () => {
  // One connection stays free for the key to be looked up.
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await world.workspace();
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const first = Array.from({ length: 3 }, () => client.post('/contacts', { name: 'First' }));
  await lock.awaited(3);
  const second = connect(world.port, '127.0.0.1').resume();
  const body = '{"name":"Second"}';
  second.write(
    `POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => waitingIn(world)).toBe(1);
  second.resetAndDestroy();
  await expect.poll(() => waitingIn(world)).toBe(0);
  await lock.commit();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await client.post('/contacts', { name: 'Third' })).status).toBe(201);
  expect(await world.query('select distinct name from contacts order by name')).toEqual([
    { name: 'First' },
    { name: 'Third' },
  ]);
});

test('requests whose clients have gone while their key was looked up take no place from those that follow', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await (await world.workspace()).key();
  const lock = await holdTable(world.databaseUrl, 'api_keys');
  // An unknown path: it has no handler that could give the place back.
  const request = `GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\n\r\n`;
  const sockets = Array.from({ length: 6 }, () => connect(world.port, '127.0.0.1'));
  for (const socket of sockets) socket.write(request);
  await lock.awaited();
  await hasCaughtUp(world.origin);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  await lock.commit();
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/companies')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('requests that come to wait for changes after their clients have gone give back one place each', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  for (const { client } of [greedy, other]) await client.get('/me');
  const changes = await holdTable(world.databaseUrl, 'change_counters');
  const request = `GET /api/v1/changes?cursor=now&wait=30 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.client.token}\r\n\r\n`;
  const sockets = Array.from({ length: 2 }, () => connect(world.port, '127.0.0.1'));
  for (const socket of sockets) socket.write(request);
  await changes.awaited(2);
  const contacts = await holdTable(world.databaseUrl, 'contacts');
  const get = async () => (await greedy.client.get(`/contacts/${randomUUID()}`)).status;
  // Keeps one request of the key under way: the counts of a key without any are reset.
  const answers = [get()];
  await contacts.awaited();
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  await changes.commit();
  // The same statement: once it has ended, so have those of the clients that have gone.
  expect((await other.client.get('/changes?cursor=now')).status).toBe(200);
  answers.push(...Array.from({ length: 8 }, get));
  await expect.poll(() => waitingIn(world)).toBe(6);
  await contacts.awaited(3);
  expect((await other.client.get('/companies')).status).toBe(200);
  await contacts.commit();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([404]));
});

test('a client that gives up and tries again takes no more connections than one that waits', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  for (const { client } of [greedy, other]) await client.get('/me');
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const request = `GET /api/v1/contacts/${randomUUID()} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.client.token}\r\n\r\n`;
  const send = () => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(request);
    return socket;
  };
  const sockets = Array.from({ length: 3 }, send);
  await lock.awaited(3);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  for (let count = 0; count < 3; count++) send();
  await expect.poll(() => waitingIn(world)).toBe(3);
  expect((await other.client.get('/companies')).status).toBe(200);
  await lock.commit();
  expect((await greedy.client.get('/companies')).status).toBe(200);
});
