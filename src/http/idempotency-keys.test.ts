import { expect, test, describe } from 'vitest';
import type { Sample } from '../../test/ask.ts';
import type { Answer } from '../../test/client.ts';
import { countWaiters, cutWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { countAnswers, countRows, isReplay, sendWithKey as send } from '../../test/repeats.ts';
import { unjudged } from '../../test/unjudged.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';

const world = await createWorld();
const other = await world.start();

/** A client of each of the two processes, both with the same API key. */
async function open() {
  const workspace = await world.workspace();
  const token = workspace.client.token!;
  return { workspace, clients: [unjudged(world, token), unjudged(other, token)] as const };
}

test('the register is not asked inside the transaction', async () => {
  const { promise: opened, resolve: answerNow } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const register = {
    ...sandboxRegister(),
    async find(orgnr: string) {
      isAsked();
      await opened;
      return sandboxRegister().find(orgnr);
    },
  };
  const running = await world.start({ register, databaseConnections: 1 });
  const workspace = await world.workspace();
  const client = unjudged(running, workspace.client.token!);
  const sample = { method: 'POST', path: '/companies', body: { orgnr: freshOrgnr() } };
  const first = send(client, sample, 'a');
  await asked;
  const open = await world.query(
    "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
  );
  expect(open).toEqual([]);
  expect((await client.get('/companies')).status).toBe(200);
  expect((await send(client, sample, 'a')).body.code).toBe('request_in_progress');
  answerNow();
  expect((await first).status).toBe(201);
  expect(isReplay(await send(client, sample, 'a'))).toBe(true);
});

test('the 200 for a company that is there already is remembered', async () => {
  const { workspace, clients } = await open();
  const { orgnr } = await workspace.company();
  const sample = { method: 'POST', path: '/companies', body: { orgnr } };
  const first = await send(clients[0], sample, 'a');
  await workspace.deleteCompany(orgnr);
  const again = await send(clients[1], sample, 'a');
  expect([first.status, again.status, again.text, isReplay(again)]).toEqual([200, 200, first.text, true]);
});

describe('the key', () => {
  const contact: Sample = { method: 'POST', path: '/contacts', body: { name: 'Kari' } };

  test('counts for one API key alone', async () => {
    const workspace = await world.workspace();
    const answers: Answer[] = [];
    for (const { token } of [
      await workspace.key(),
      await workspace.key(),
      await (await world.workspace()).key(),
    ]) {
      answers.push(await send(unjudged(world, token), contact, 'order-1'));
    }
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(
      Array.from({ length: 3 }, () => [201, false]),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(3);
  });

  test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'])(
    '%j is 400, along with whatever else is wrong, but a missing permission is 403 first',
    async (key) => {
      const { workspace, clients } = await open();
      const answer = await send(clients[0], contact, key);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.details[0].field).toBe('Idempotency-Key');
      const wrong = await send(clients[0], { ...contact, body: {} }, key);
      const fields = wrong.body.details.map(({ field }: { field: string }) => field);
      expect([wrong.status, fields]).toEqual([400, ['name', 'Idempotency-Key']]);
      const { token } = await workspace.key(['contacts:read']);
      expect((await send(unjudged(world, token), contact, key)).status).toBe(403);
    },
  );

  test('has no effect on other methods than POST', async () => {
    const { workspace, clients } = await open();
    const { id } = await workspace.contact();
    const patch = { method: 'PATCH', path: `/contacts/${id}`, body: { name: 'Ola' } };
    for (const key of ['a', 'a', 'a b']) expect((await send(clients[0], patch, key)).status).toBe(200);
    expect(await countAnswers(world, workspace)).toBe(0);
  });

  test('is free again after 24 hours', async () => {
    const { workspace, clients } = await open();
    const first = await send(clients[0], contact, 'a');
    const age = (interval: string) =>
      world.query(
        `update remembered_answers set created_at = now() - interval '${interval}' where tenant_id = $1`,
        [workspace.id],
      );
    await age('23 hours 59 minutes');
    expect(isReplay(await send(clients[1], contact, 'a'))).toBe(true);
    await age('24 hours 1 minute');
    const fresh = await send(clients[1], { ...contact, body: { name: 'Ola' } }, 'a');
    expect([fresh.status, isReplay(fresh), fresh.body.data.id === first.body.data.id]).toEqual([
      201,
      false,
      false,
    ]);
    expect((await send(clients[0], { ...contact, body: { name: 'Ola' } }, 'a')).text).toBe(fresh.text);
  });

  test('is free again when the connection to the database breaks before the commit', async () => {
    const { workspace, clients } = await open();
    const { orgnr } = await workspace.company();
    const rows = await countRows(world, workspace);
    const note = { method: 'POST', path: `/companies/${orgnr}/notes`, body: { text: 'Hei' } };
    // The note waits for this row by its foreign key. The workspace's row would not do: each node of Citus has a copy,
    // and only one copy would be locked.
    const held = await holdRow(
      world.databaseUrl,
      'select 1 from companies where tenant_id = $1 and orgnr = $2 for update',
      [workspace.id, orgnr],
    );
    const cut = send(clients[0], note, 'a');
    await held.awaited();
    await cutWaiters(world);
    expect((await cut).status).toBe(503);
    await held.commit();
    expect(await countRows(world, workspace)).toBe(rows);
    const again = await send(clients[1], note, 'a');
    expect([again.status, isReplay(again)]).toEqual([201, false]);
  });

  test('gives the first answer again when the client hung up before it came', async () => {
    const { workspace, clients } = await open();
    const { orgnr } = await workspace.company();
    const note = { method: 'POST', path: `/companies/${orgnr}/notes`, body: { text: 'Hei' } };
    const rows = await countRows(world, workspace);
    const held = await holdTable(world.databaseUrl, 'changes');
    const hungUp = new AbortController();
    const lost = fetch(`${world.origin}/api/v1${note.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clients[0].token}`,
        'content-type': 'application/json',
        'idempotency-key': 'a',
      },
      body: JSON.stringify(note.body),
      signal: hungUp.signal,
    });
    await held.awaited();
    hungUp.abort();
    await expect(lost).rejects.toThrow('aborted');
    expect((await send(clients[0], note, 'a')).body.code).toBe('request_in_progress');
    await held.commit();
    await expect.poll(() => countAnswers(world, workspace), { interval: 5 }).toBe(1);
    const again = await send(clients[1], note, 'a');
    expect([again.status, isReplay(again)]).toEqual([201, true]);
    expect(await countRows(world, workspace)).toBe(rows + 2);
  });
});

test('of two changes of one state of a contact, each with its own key, only the first is carried out', async () => {
  const { workspace, clients } = await open();
  const { id } = await workspace.contact();
  const { etag } = (await clients[0].get(`/contacts/${id}`)).headers;
  const add = (number: number) =>
    clients[number]!.send({
      method: 'POST',
      path: `/contacts/${id}/points`,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `k${number}`,
        'if-match': etag as string,
      },
      body: JSON.stringify({ type: 'mobile', value: `900 00 00${number}` }),
    });
  const contact = 'select from contacts where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, contact, [workspace.id, id]);
  const sent = [add(0), add(1)];
  await expect.poll(() => countWaiters(world)).toBe(2);
  await held.commit();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 412]);
});
