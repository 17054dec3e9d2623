import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { holdTable } from './locks.ts';
import { createWorld, type Running } from './world.ts';

const world = await createWorld();

const countConnections = ({ server }: Running) =>
  new Promise((resolve) => void server.app.server.getConnections((_, open) => resolve(open)));

test('a client that hangs up within a body is not logged as a defect, and nothing of the body is stored', async () => {
  const service = await world.start({ keepLogs: true });
  const workspace = await world.workspace(service);
  const { token } = await workspace.key();
  const socket = connect(service.port, '127.0.0.1');
  socket.write(
    [
      'POST /api/v1/contacts HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
      '',
      '{"name":"Halv',
    ].join('\r\n'),
  );
  // An answered request proves that the one before it on the other connection has been taken up.
  await workspace.client.get('/me');
  socket.destroy();
  await expect.poll(() => countConnections(service)).toBe(1);
  expect(service.logs.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  await expect.poll(() => service.logs.filter((line) => line['client_left'])).toHaveLength(1);
  const rows = await world.query('select count(*)::int as n from contacts where tenant_id = $1', [
    workspace.id,
  ]);
  expect(rows[0].n).toBe(0);
});

test.each(['close', 'reset'])(
  'a write whose client left by a %s is carried out, and a line of the log says so',
  async (how) => {
    const service = await world.start({ keepLogs: true });
    const workspace = await world.workspace(service);
    await workspace.client.get('/me');
    const held = await holdTable(world.databaseUrl, 'contacts');
    const taken = once(service.server.app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      [
        'POST /api/v1/contacts HTTP/1.1',
        'Host: x',
        'X-Request-Id: left-early',
        `Authorization: Bearer ${workspace.client.token}`,
        'Content-Type: application/json',
        'Content-Length: 15',
        '',
        '{"name":"Kari"}',
      ].join('\r\n'),
    );
    await held.awaited();
    if (how === 'reset') socket.resetAndDestroy();
    else socket.destroy();
    const [own] = await taken;
    await expect.poll(() => own.readableEnded || own.destroyed).toBe(true);
    await held.commit();
    const lines = () => service.logs.filter((line) => line['request_id'] === 'left-early');
    await expect.poll(lines).toHaveLength(1);
    expect(lines()[0]).toMatchObject({
      msg: 'request',
      method: 'POST',
      route: '/api/v1/contacts',
      status: 201,
      client_left: true,
      workspace_id: workspace.id,
    });
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toContain(
      'http_request_duration_seconds_count{method="POST",route="/api/v1/contacts",status="201"} 1',
    );
  },
);
