import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sampleOf, type Sample } from '../../test/ask.ts';
import { holdTable } from '../../test/locks.ts';
import { OPERATIONS } from '../../test/operations.ts';
import { countAnswers, countRows, isReplay, sendWithKey as send } from '../../test/repeats.ts';
import { unjudged } from '../../test/unjudged.ts';
import { untilProcessed } from '../../test/until-processed.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();
const other = await world.start();

const posts = OPERATIONS.filter(({ route }) => route.startsWith('POST '));

/** A client of each of the two processes, both with the same API key. */
async function open() {
  const workspace = await world.workspace();
  const token = workspace.client.token!;
  return { workspace, clients: [unjudged(world, token), unjudged(other, token)] as const };
}

const withoutId = ({ body, ...sample }: Sample): Sample => {
  const { id: _, ...rest } = body!;
  return { ...sample, body: rest };
};

/** The operations that create and that change each resource with an ETag. */
const tagged = OPERATIONS.filter(
  ({ route }) =>
    route.startsWith('PATCH ') && OPERATIONS.some((one) => one.route === route.replace('PATCH', 'GET')),
).map((change) => {
  const route = change.route.replace('PATCH', 'POST').replace(/\/\{[^/]*$/, '');
  return { route, operation: posts.find((one) => one.route === route)!, change };
});

test.each(tagged)(
  '$route answers its repeats with the ETag of the first answer',
  async ({ operation, change }) => {
    const { workspace, clients } = await open();
    const sample = await sampleOf(operation, workspace);
    const first = await send(clients[0], sample, 'k');
    expect(first.headers.etag).toMatch(/^"[^"]+"$/);
    const { id, orgnr } = first.body.data;
    const path = `${sample.path}/${orgnr ?? id}`;
    const changed = await clients[0].patch(path, await change.sample!(workspace));
    expect([changed.status, changed.headers.etag === first.headers.etag]).toEqual([200, false]);
    const again = await send(clients[1], sample, 'k');
    expect([isReplay(again), again.headers.etag]).toEqual([true, first.headers.etag]);
  },
);

describe.each(posts)('$route', (operation) => {
  test('is carried out once; its repeats are answered alike, on any process, in any order of members', async () => {
    const { workspace, clients } = await open();
    for (const form of [withoutId, (sample: Sample) => sample]) {
      const sample = form(await sampleOf(operation, workspace));
      const key = randomUUID();
      const first = await send(clients[0], sample, key);
      expect([first.status, isReplay(first)]).toEqual([201, false]);
      const rows = await countRows(world, workspace);
      const turned = Object.fromEntries(Object.entries(sample.body!).toReversed());
      for (const [number, text] of [
        JSON.stringify(sample.body),
        JSON.stringify(sample.body, null, 2),
        JSON.stringify(turned),
        JSON.stringify(sample.body).replaceAll('o', String.raw`\u006f`),
      ].entries()) {
        const again = await send(clients[number % 2]!, sample, key, text);
        expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
        expect(again.headers['content-type']).toBe(first.headers['content-type']);
      }
      expect(await countRows(world, workspace)).toBe(rows);
    }
  });

  test('is 422 with the key of another body or operation, and changes nothing', async () => {
    const { workspace, clients } = await open();
    const key = `"${'k'.repeat(251)}~!`;
    const sample = await sampleOf(operation, workspace);
    await send(clients[0], sample, key);
    const [text] = Object.entries(operation.body!).findLast(([, { is }]) => is === 'text')!;
    const changed = { ...sample, body: { ...sample.body, [text]: 'x' } };
    const elsewhere = posts.find(({ route }) => route !== operation.route)!;
    const others = [changed, await sampleOf(elsewhere, workspace)];
    if (sample.path.split('/').length > 2)
      others.push({ ...(await sampleOf(operation, workspace)), body: sample.body });
    const rows = await countRows(world, workspace);
    for (const wrong of others) {
      const answer = await send(clients[1], wrong, key);
      expect([wrong, answer.status, answer.body.code]).toEqual([wrong, 422, 'idempotency_key_reused']);
    }
    expect(await countRows(world, workspace)).toBe(rows);
  });

  test('that fails is not remembered', async () => {
    const { workspace, clients } = await open();
    const sample = await sampleOf(operation, workspace);
    const key = randomUUID();
    const missing = {
      ...sample,
      path: sample.path.replace(
        /^(\/(?:contacts|companies))\/[^/]+/,
        `$1/${sample.path.startsWith('/contacts') ? randomUUID() : freshOrgnr()}`,
      ),
    };
    const wrong = [
      { ...sample, body: { ...sample.body, unknown: 1 } },
      ...(missing.path === sample.path ? [] : [missing]),
    ];
    for (const request of wrong)
      expect((await send(clients[0], request, key)).status).toBeGreaterThanOrEqual(400);
    expect(await countAnswers(world, workspace)).toBe(0);
    const answer = await send(clients[1], sample, key);
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  });

  test('is 409 with Retry-After while the first is under way, here and on another process', async () => {
    const workspace = await world.workspace();
    const { client } = workspace;
    const clients = [client, other.client(client.token)] as const;
    const sample = await sampleOf(operation, workspace);
    const key = randomUUID();
    const held = await holdTable(world.databaseUrl, 'changes');
    const first = send(clients[0], sample, key);
    await held.awaited();
    for (const client of clients) {
      const answer = await send(client, sample, key);
      expect([answer.status, answer.body.code]).toEqual([409, 'request_in_progress']);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    await held.commit();
    expect((await first).status).toBe(201);
    const again = await send(clients[1], sample, key);
    expect([again.status, again.text, isReplay(again)]).toEqual([201, (await first).text, true]);
  });
});

describe.each([
  'POST /companies/{orgNr}/notes',
  'POST /contacts/{id}/points',
  'POST /contacts/{id}/companies',
])('200 parallel repeats of %s', (route) => {
  test('give exactly one row, and in the end the same answer to all', async () => {
    const { workspace, clients } = await open();
    const sample = await sampleOf(
      posts.find((operation) => operation.route === route)!,
      workspace,
    );
    const rows = await countRows(world, workspace);
    const key = randomUUID();
    const repeated = async (number: number) => {
      for (;;) {
        const answer = await untilProcessed(() => send(clients[number % 2]!, sample, key));
        if (answer.body.code !== 'request_in_progress') return answer;
      }
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, number) => repeated(number)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(await countRows(world, workspace)).toBe(rows + 2);
  });
});

describe('with an id that the caller chose', () => {
  test.each(posts.filter(({ body }) => body?.['id']))(
    '100 parallel repeats of $route are all answered as the first, never with id_already_used',
    async (operation) => {
      const { workspace, clients } = await open();
      const sample = await sampleOf(operation, workspace);
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, number) =>
          untilProcessed(() => send(clients[number % 2]!, sample, key)),
        ),
      );
      const codes = new Set(answers.map(({ body }) => body.code));
      expect(codes.difference(new Set([undefined, 'request_in_progress'])).size).toBe(0);
      expect((await send(clients[0], sample, key)).status).toBe(201);
    },
  );
});

test('a repeat that began before the first was remembered is answered as the first', async () => {
  const { workspace, clients } = await open();
  const sample = await sampleOf(
    posts.find(({ route }) => route === 'POST /tasks')!,
    workspace,
  );
  const key = randomUUID();
  // The repeat has found no answer to its key, and waits to learn whether its id is used.
  const held = await holdTable(world.databaseUrl, 'tasks');
  const late = send(clients[1], sample, key);
  await held.awaited();
  await held.run(`insert into remembered_answers (tenant_id, scope, idempotency_key, fingerprint, body, status)
    select '${workspace.id}', id, '${key}', '\\x00', '{}', 201 from api_keys where tenant_id = '${workspace.id}'`);
  await held.run(`insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
    values ('${workspace.id}', '${String(sample.body!['id'])}', 'x', now(), true, '${workspace.owner.id}')`);
  await held.commit();
  const answer = await late;
  // The answer inserted above has the fingerprint of another body.
  expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused']);
});

test('a 204 is replayed under its Idempotency-Key', async () => {
  const browser = await (await world.workspace()).signIn();
  const send = () =>
    browser.send({
      method: 'POST',
      path: '/sessions/end-others',
      headers: { 'idempotency-key': 'once' },
    });
  expect((await send()).status).toBe(204);
  const again = await send();
  expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
});
