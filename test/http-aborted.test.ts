import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

test('a client that hangs up within its body is no defect, and nothing of it is kept', async () => {
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
  await expect
    .poll(
      () =>
        new Promise((resolve) => void service.server.app.server.getConnections((_, open) => resolve(open))),
    )
    .toBe(1);
  expect(service.logs.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  const rows = await world.sql('select count(*)::int as n from contacts where tenant_id = $1', [
    workspace.id,
  ]);
  expect(rows[0].n).toBe(0);
});
