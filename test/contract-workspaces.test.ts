import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ask, methodOf, sampleOf } from './ask.ts';
import type { Answer } from './client.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './operation.ts';
import { createWorld, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();

/** The tables of a workspace, except those that are written later, to count uses and to number changes. */
const TABLES = await world.query(
  `select table_name::text as table from information_schema.columns
   where table_schema = 'public' and column_name = 'tenant_id'
     and table_name <> all ('{key_use,changes,change_counters}')`,
);

const withPath = OPERATIONS.filter(({ route, shared }) => route.includes('{') && !shared);
const withReference = OPERATIONS.flatMap((operation) =>
  Object.entries(operation.body ?? {}).flatMap(([field, { is, ...more }]) =>
    is === 'uuid' && 'names' in more
      ? [{ operation, route: operation.route, field, names: more.names! }]
      : [],
  ),
);

/** Every row a workspace has, as PostgreSQL writes it. */
async function rowsOf(workspace: Workspace): Promise<string[]> {
  const tables = TABLES.map(({ table }) =>
    world.query(`select '${table} ' || t::text as row from ${table} t where tenant_id = $1 order by 1`, [
      workspace.id,
    ]),
  );
  return (await Promise.all(tables)).flat().map(({ row }) => row);
}

/** All that a caller can see of an answer, except the date, the request id and the id that the caller sent. */
function seen(answer: Answer, id: string): string {
  const { date: _, 'x-request-id': __, ...headers } = answer.headers;
  return `${answer.status} ${JSON.stringify(headers)} ${answer.text}`.replaceAll(id, '<id>');
}

/** An id of the same form that names nothing anywhere. */
function nobodys({ route }: Operation): string {
  return route.includes('{orgNr}') ? freshOrgnr() : randomUUID();
}

test.each(withPath)('$route answers for another workspace as for an unknown id', async (operation) => {
  const [theirs, own] = [await world.workspace(), await world.workspace()];
  const path = await operation.path(theirs);
  const [, , id = ''] = path.split('/');
  const body = await operation.sample?.(own);
  const before = await rowsOf(theirs);
  const method = methodOf(operation);

  const foreign = await ask(own.client, { method, path, body });
  const nothing = nobodys(operation);
  const random = await ask(own.client, { method, path: path.replace(id, nothing), body });

  expect(foreign.status).toBe(404);
  expect(seen(foreign, id)).toBe(seen(random, nothing));
  expect(await rowsOf(theirs)).toEqual(before);
});

test.each(withReference)(
  '$route treats $field of another workspace like an unknown id',
  async ({ operation, field, names }) => {
    const [theirs, own] = [await world.workspace(), await world.workspace()];
    const id = names === 'user' ? theirs.member.id : (await theirs.company()).id;
    const { method, path, body } = await sampleOf(operation, own);
    const before = await rowsOf(theirs);
    const ownBefore = await rowsOf(own);

    const foreign = await ask(own.client, { method, path, body: { ...body, [field]: id } });
    const nothing = randomUUID();
    const random = await ask(own.client, { method, path, body: { ...body, [field]: nothing } });

    expect(foreign.status).toBe(400);
    expect(foreign.body.code).toBe('invalid_reference');
    expect(foreign.body.details).toEqual([{ field, message: expect.any(String) }]);
    expect(seen(foreign, id)).toBe(seen(random, nothing));
    expect(await rowsOf(theirs)).toEqual(before);
    expect(await rowsOf(own)).toEqual(ownBefore);
  },
);

test.each(OPERATIONS.filter(({ body }) => body?.['id']))(
  '$route takes an id that another workspace has used',
  async (operation) => {
    const [theirs, own] = [await world.workspace(), await world.workspace()];
    const sample = await sampleOf(operation, theirs);
    expect((await ask(theirs.client, sample)).status).toBe(201);
    const before = await rowsOf(theirs);
    const { id } = sample.body!;
    const answer = await ask(own.client, { ...sample, body: { ...(await operation.sample!(own)), id } });
    expect(answer.status).toBe(201);
    expect(answer.body.data.id).toBe(id);
    expect(await rowsOf(theirs)).toEqual(before);
  },
);

test('two workspaces can have a company of the same number, each with an id and values of its own', async () => {
  const [one, two] = [await world.workspace(), await world.workspace()];
  const orgnr = freshOrgnr();
  const first = await one.company({ orgnr, status: 'customer' });
  const second = await two.company({ orgnr, status: 'lead' });
  expect(first.id).not.toBe(second.id);
  await one.deleteCompany(orgnr);
  expect((await two.client.get(`/companies/${orgnr}`)).body.data).toEqual(second);
});

test('lists show only what belongs to the workspace', async () => {
  const [theirs, own] = [await world.workspace(), await world.workspace()];
  await theirs.company();
  const mine = await own.company();
  expect((await own.client.get('/companies')).body.data).toEqual([mine]);
  const users = (await own.client.get('/users')).body.data.map(({ id }: { id: string }) => id);
  expect(users.toSorted()).toEqual([own.owner.id, own.member.id].toSorted());
  const byEmail = await own.client.get(`/users?email=${encodeURIComponent(theirs.owner.email)}`);
  expect(byEmail.body.data).toEqual([]);
});

test('a person in two workspaces is found in both, and a key of one opens that one alone', async () => {
  const [one, two] = [await world.workspace(), await world.workspace()];
  await world.query('insert into memberships (tenant_id, user_id) values ($1, $2)', [two.id, one.member.id]);
  const company = await one.company();
  const { client } = await two.key(255, { user: one.member });
  expect((await client.get('/me')).body.data.tenant_id).toBe(two.id);
  expect((await client.get(`/companies/${company.orgnr}`)).status).toBe(404);
  expect((await client.get(`/users?email=${one.member.email}`)).body.data).toHaveLength(1);
});
