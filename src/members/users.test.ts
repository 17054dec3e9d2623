import { describe, expect, test } from 'vitest';
import { EMAILS, NOT_EMAILS } from '../../test/corpora.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

const byEmail = (workspace: Workspace, email: string) =>
  workspace.client.get(`/users?email=${encodeURIComponent(email)}`);

/** Ids in the order of an answer. */
const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

let made = 0;
/** A part of an address that no other test uses: an address belongs to one person in the whole database. */
const unique = () => `u${process.pid}n${made++}`;

test('each user is shown with id, names and email only', async () => {
  const workspace = await world.workspace();
  const { status, body } = await workspace.client.get('/users');
  expect(status).toBe(200);
  const { owner, member } = workspace;
  expect(body.data).toEqual([owner, member].toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  expect(body.page).toEqual({ size: 25, offset: 0, has_more: false });
});

test('names are shown exactly as they are stored', async () => {
  const workspace = await world.workspace();
  const person = await workspace.addMember({ first_name: '  Åse 👩‍🚀 ', last_name: "O'Brien <b>" });
  expect((await byEmail(workspace, person.email)).body.data).toEqual([person]);
});

test('a removed member is not found any more', async () => {
  const workspace = await world.workspace();
  await workspace.removeMember(workspace.member);
  expect(ids(await workspace.client.get('/users'))).toEqual([workspace.owner.id]);
  expect((await byEmail(workspace, workspace.member.email)).body.data).toEqual([]);
});

test.each([1, 3, 25, 100])('pages of %i show every user once, in order of UUID', async (limit) => {
  const workspace = await world.workspace();
  for (let count = 2; count < 26; count++) await workspace.addMember();
  const seen: string[] = [];
  for (let offset = 0, more = true; more; offset += limit) {
    const { body } = await workspace.client.get(`/users?limit=${limit}&offset=${offset}`);
    expect(body.page).toMatchObject({ size: limit, offset });
    seen.push(...ids({ body }));
    more = body.page.has_more;
    expect(more).toBe(offset + limit < 26);
  }
  expect(seen).toEqual(seen.toSorted());
  expect(new Set(seen).size).toBe(26);
});

describe('with email', () => {
  test('the case of the address does not matter', async () => {
    const workspace = await world.workspace();
    const name = unique();
    const person = await workspace.addMember({ email: `Kari.${name}@Example.NO` });
    for (const email of [
      `Kari.${name}@Example.NO`,
      `kari.${name}@example.no`,
      `KARI.${name}@EXAMPLE.NO`.toUpperCase(),
    ]) {
      expect((await byEmail(workspace, email)).body.data).toEqual([person]);
    }
  });

  test('an address with an asterisk is compared exactly', async () => {
    const workspace = await world.workspace();
    const name = unique();
    const person = await workspace.addMember({ email: `Sales*${name}@example.no` });
    expect((await byEmail(workspace, `Sales*${name}@example.no`)).body.data).toEqual([person]);
    expect((await byEmail(workspace, `sales*${name}@example.no`)).body.data).toEqual([]);
    expect((await byEmail(workspace, `SALES*${name}@EXAMPLE.NO`)).body.data).toEqual([]);
  });

  test('two addresses with an asterisk that differ in case are two people', async () => {
    const workspace = await world.workspace();
    const name = unique();
    const small = await workspace.addMember({ email: `a*${name}@example.no` });
    const large = await workspace.addMember({ email: `A*${name}@example.no` });
    expect((await byEmail(workspace, small.email)).body.data).toEqual([small]);
    expect((await byEmail(workspace, large.email)).body.data).toEqual([large]);
  });

  test('neither an asterisk nor a percent sign nor an underscore is a wildcard', async () => {
    const workspace = await world.workspace();
    const name = unique();
    await workspace.addMember({ email: `kari-${name}@example.no` });
    for (const pattern of [
      `*${name}@example.no`,
      `%${name}@example.no`,
      `kari_${name}@example.no`,
      `*@example.no`,
    ]) {
      const { status, body } = await byEmail(workspace, pattern);
      expect([status, body.data]).toEqual([200, []]);
    }
  });

  test('an address that nobody has gives an empty page', async () => {
    const workspace = await world.workspace();
    const { status, body } = await byEmail(workspace, 'nobody@example.no');
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], page: { size: 25, offset: 0, has_more: false } });
  });

  test('limit and offset apply to what was found', async () => {
    const workspace = await world.workspace();
    const email = encodeURIComponent(workspace.member.email);
    const one = await workspace.client.get(`/users?email=${email}&limit=1`);
    expect(one.body).toEqual({ data: [workspace.member], page: { size: 1, offset: 0, has_more: false } });
    const after = await workspace.client.get(`/users?email=${email}&offset=1`);
    expect(after.body).toEqual({ data: [], page: { size: 25, offset: 1, has_more: false } });
  });

  test('a plus sign has to be URL encoded', async () => {
    const workspace = await world.workspace();
    const name = unique();
    const person = await workspace.addMember({ email: `${name}+crm@example.no` });
    expect((await byEmail(workspace, person.email)).body.data).toEqual([person]);
    const unencoded = await workspace.client.get(`/users?email=${person.email}`);
    expect([unencoded.status, unencoded.body.details?.[0].field]).toEqual([400, 'email']);
  });

  test.each(EMAILS)('%s is an address', async (email) => {
    const { status } = await byEmail(await world.workspace(), email);
    expect(status).toBe(200);
  });

  test.each(NOT_EMAILS)('%j is no address', async (email) => {
    const { status, body } = await byEmail(await world.workspace(), email);
    expect([status, body.code, body.details?.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      'invalid_request',
      ['email'],
    ]);
  });

  test('two addresses at once are refused', async () => {
    const { client } = await world.workspace();
    const { status, body } = await client.get('/users?email=a@b.no&email=a@b.no');
    expect([status, body.details]).toEqual([400, [{ field: 'email', message: expect.any(String) }]]);
  });
});
