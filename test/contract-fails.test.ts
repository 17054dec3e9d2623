import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeCursor } from '../src/http/cursor.ts';
import { ask, methodOf, sampleOf, withQuery, type Sample } from './ask.ts';
import type { Answer, Client } from './client.ts';
import { holdRow } from './locks.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './operation.ts';
import { declaredProblems } from './promises.ts';
import { createWorld, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();
const narrow = await world.start({ rateLimit: { requests: 1, seconds: 3600 } });
// Nobody listens there.
const unreachable = await world.start({ url: 'postgres://kundebok@127.0.0.1:9/kundebok' });

type Provoke = (operation: Operation, workspace: Workspace) => Promise<Answer>;

const JSON_TYPE = { 'content-type': 'application/json' };

const withBody =
  (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Provoke =>
  async (operation, workspace) =>
    workspace.client.send({
      method: methodOf(operation),
      path: await operation.path(workspace),
      headers,
      body,
    });

const onSample =
  (change: (sample: Sample, workspace: Workspace) => Sample | Promise<Sample>, by?: Client): Provoke =>
  async (operation, workspace) =>
    ask(by ?? workspace.client, await change(await sampleOf(operation, workspace), workspace));

const nothingNamed: Provoke = onSample((sample) => {
  const [, resource, id = ''] = sample.path.split('/');
  const nobodys = resource === 'companies' ? freshOrgnr() : randomUUID();
  return { ...sample, path: sample.path.replace(id, nobodys) };
});

/** The sample request with another organisation number in its body, its path or its query. */
const numbered = (orgnr: string) =>
  onSample(({ method, path, body }) =>
    body
      ? { method, path, body: { ...body, orgnr } }
      : {
          method,
          path: path.replace(/\?.*|\d{9}/, (old) => (old.startsWith('?') ? `?q=${orgnr}` : orgnr)),
          body,
        },
  );

function repeatable(client: Client, { method, path, body }: Sample): Promise<Answer> {
  const headers = { ...JSON_TYPE, 'idempotency-key': 'k' };
  return client.send({ method, path, headers, body: JSON.stringify(body) });
}

/** How to provoke each problem, with any operation that declares it. */
const PROVOCATIONS: Record<string, Provoke> = {
  invalid_request: onSample((sample) => ({ ...sample, path: withQuery(sample.path, 'unknown=1') })),
  malformed_json: withBody('{'),
  payload_too_large: withBody(Buffer.alloc(262_145, 0x20)),
  unsupported_media_type: withBody('{}', { 'content-type': 'text/plain' }),
  uri_too_long: onSample((sample) => ({ ...sample, path: withQuery(sample.path, 'x'.repeat(9_000)) })),
  unauthorized: onSample((sample) => sample, world.client()),
  async forbidden(operation, workspace) {
    const { client } = await workspace.key([]);
    return ask(client, await sampleOf(operation, workspace));
  },
  async rate_limited(operation, workspace) {
    const client = narrow.client((await workspace.key()).token);
    const sample = await sampleOf(operation, workspace);
    await client.get('/me');
    return ask(client, sample);
  },
  async temporarily_unavailable(operation, workspace) {
    const client = unreachable.client(workspace.client.token);
    return ask(client, await sampleOf(operation, workspace));
  },
  not_found: nothingNamed,
  id_already_used: onSample(async (sample, { client }) => {
    await ask(client, sample);
    return sample;
  }),
  invalid_reference: onSample((sample) => {
    const reference = ['user_id', 'assigned_to', 'company_id'].find((name) => name in sample.body!)!;
    return { ...sample, body: { ...sample.body, [reference]: randomUUID() } };
  }),
  async limit_reached(operation, workspace) {
    const sample = await sampleOf(operation, workspace);
    await world.query('update contacts set point_count = 1000, link_count = 1000 where id = $1', [
      sample.path.split('/')[2],
    ]);
    return ask(workspace.client, sample);
  },
  cursor_expired: onSample((sample) => ({
    ...sample,
    path: `${sample.path}?cursor=${encodeCursor('changes', [2 ** 40, 1])}`,
  })),
  company_deleted: onSample(async (sample, workspace) => {
    const { orgnr } = await workspace.company();
    await workspace.deleteCompany(orgnr);
    return { ...sample, body: { orgnr } };
  }),
  async precondition_failed(operation, workspace) {
    const { method, path, body } = await sampleOf(operation, workspace);
    const headers = { ...JSON_TYPE, 'if-match': '"0-0"' };
    return workspace.client.send({ method, path, headers, body: JSON.stringify(body ?? {}) });
  },
  async request_in_progress(operation, workspace) {
    const { id, client } = await workspace.key();
    const name = JSON.stringify([workspace.id, id, 'k']);
    const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
    const held = await holdRow(world.databaseUrl, lock, [name]);
    const answer = await repeatable(client, await sampleOf(operation, workspace));
    await held.commit();
    return answer;
  },
  async idempotency_key_reused(operation, workspace) {
    await repeatable(workspace.client, await sampleOf(operation, workspace));
    return repeatable(workspace.client, await sampleOf(operation, workspace));
  },
  async erased(operation, workspace) {
    const id = randomUUID();
    await repeatable(workspace.client, { method: 'POST', path: '/contacts', body: { id, name: 'Kari' } });
    expect((await workspace.client.send({ method: 'DELETE', path: `/contacts/${id}` })).status).toBe(204);
    return repeatable(workspace.client, await sampleOf(operation, workspace));
  },
  not_in_register: numbered('388444444'),
  register_unavailable: numbered('338555555'),
  async status_conflict(operation, workspace) {
    const sample = await sampleOf(operation, workspace);
    const id = sample.path.split('/')[2];
    const row = await holdRow(world.databaseUrl, "update offers set status = 'rejected' where id = $1", [id]);
    const answer = ask(workspace.client, { ...sample, body: { status: 'sent' } });
    await row.awaited();
    await row.commit();
    return answer;
  },
};

/** Problems of HTTP itself have tests of their own, and no request provokes an internal error on purpose. */
const ELSEWHERE = new Set([
  'malformed_request',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'not_implemented',
]);

/** Every problem the description declares for an operation. */
function declared({ route }: Operation): string[] {
  return declaredProblems(route).filter((code) => !ELSEWHERE.has(code));
}

const cells = OPERATIONS.flatMap((operation) =>
  declared(operation).map((code) => ({ route: operation.route, code, operation })),
);

test('every operation declares the problems that all have in common, and its own', () => {
  for (const operation of OPERATIONS) {
    const usual = [
      'invalid_request',
      'unauthorized',
      'uri_too_long',
      'rate_limited',
      'temporarily_unavailable',
    ];
    const method = methodOf(operation);
    const bodies = method === 'GET' ? [] : ['malformed_json', 'payload_too_large', 'unsupported_media_type'];
    const repeats = method === 'POST' ? ['request_in_progress', 'idempotency_key_reused', 'erased'] : [];
    const permission = operation.needs.length > 0 ? ['forbidden'] : [];
    expect(declared(operation).toSorted()).toEqual(
      [...usual, ...bodies, ...repeats, ...permission, ...operation.fails].toSorted(),
    );
  }
});

test.each(cells)('$route can answer $code', async ({ code, operation }) => {
  const workspace = await world.workspace();
  const answer = await PROVOCATIONS[code]!(operation, workspace);
  expect(answer.body.code).toBe(code);
});
