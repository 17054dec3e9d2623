import { describe, expect, test } from 'vitest';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

const EQUINOR = '923609016';

async function client() {
  return (await world.workspace()).client;
}

/** The numbers that a search finds, in order. */
async function found(q: string, more = ''): Promise<string[]> {
  const answer = await (await client()).get(`/register?q=${encodeURIComponent(q)}${more}`);
  expect(answer.status).toBe(200);
  return answer.body.data.map(({ orgnr }: { orgnr: string }) => orgnr);
}

describe('GET /register/{orgNr}', () => {
  test('shows the unit, and whether the workspace has it', async () => {
    const [own, other] = [await world.workspace(), await world.workspace()];
    const { status, body } = await own.client.get(`/register/${EQUINOR}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        orgnr: EQUINOR,
        name: 'EQUINOR ASA',
        org_form: 'ASA',
        registered_at: '1995-03-12',
        employees: expect.any(Number),
        nace_primary: '06.100',
        email_address: null,
        phone_number: '51 99 00 00',
        mobile_number: null,
        website_url: 'www.equinor.com',
        dissolved_on: null,
        is_branch: false,
        in_workspace: 'none',
      },
    });
    expect((await own.client.get(`/companies/${EQUINOR}`)).status).toBe(404);

    const shown = async (by: typeof own) =>
      (await by.client.get(`/register/${EQUINOR}`)).body.data.in_workspace;
    await own.company({ orgnr: EQUINOR });
    expect([await shown(own), await shown(other)]).toEqual(['company', 'none']);
    await own.deleteCompany(EQUINOR);
    expect([await shown(own), await shown(other)]).toEqual(['deleted', 'none']);
  });

  test('shows the day on which a unit was dissolved, and the little that the register still states of it', async () => {
    const { status, body } = await (await client()).get('/register/974567989');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      org_form: 'BEDR',
      registered_at: null,
      employees: 0,
      nace_primary: '00.000',
      dissolved_on: '2023-12-30',
      is_branch: true,
    });
  });

  test.each([
    ['388444444', /^388444444 is not in the sandbox register/],
    ['330444444', /was removed from the sandbox register .* on 2025-05-24$/],
    ['346444444', /was removed from the sandbox register/],
    ['923609017', /its check digit is wrong$/],
  ])('%s is 404, where POST /companies is 422', async (orgnr, error) => {
    const by = await client();
    const read = await by.get(`/register/${orgnr}`);
    expect([read.status, read.body.code]).toEqual([404, 'not_in_register']);
    expect(read.body.error).toMatch(error);
    expect(read.body.details).toEqual([{ field: 'orgNr', message: read.body.error }]);
    const added = await by.post('/companies', { orgnr });
    expect([added.status, added.body.error]).toEqual([422, read.body.error]);
  });

  test('is 503 with Retry-After while the register is unavailable', async () => {
    const { status, body, headers } = await (await client()).get('/register/338555555');
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'register_unavailable', '5']);
  });

  test('asks the register for no number whose check digit is wrong', async () => {
    const asked: string[] = [];
    const sandbox = sandboxRegister();
    const find = (orgnr: string) => (asked.push(orgnr), sandbox.find(orgnr));
    const service = await world.start({ register: { ...sandbox, find } });
    const { token } = (await world.workspace()).client;
    const by = service.client(token);
    await by.get('/register/923609017');
    await by.get(`/register/${EQUINOR}`);
    expect(asked).toEqual([EQUINOR]);
  });
});

test('requests that wait for the register do not hold up others of the same key', async () => {
  const { promise: answer, resolve: release } = Promise.withResolvers<void>();
  const sandbox = sandboxRegister();
  let waiting = 0;
  const wait = () => ((waiting += 1), answer);
  const service = await world.start({
    register: {
      ...sandbox,
      find: (orgnr) => wait().then(() => sandbox.find(orgnr)),
      search: (q, limit) => wait().then(() => sandbox.search(q, limit)),
    },
  });
  const by = service.client((await world.workspace()).client.token);
  const asked = Array.from({ length: 20 }, () => [
    by.get(`/register/${EQUINOR}`),
    by.get('/register?q=equinor'),
  ]);
  await expect.poll(() => waiting).toBe(40);
  expect((await by.get('/me')).status).toBe(200);
  release();
  for (const { status } of await Promise.all(asked.flat())) expect(status).toBe(200);
});

describe('GET /register?q=', () => {
  test.each([
    ['asa kong', '943753709'],
    ['Kongsberg  GRUPPEN', '943753709'],
    ['RODE kors', undefined],
    ['røde KORS', '864139442'],
    ['ÈQUINOR', EQUINOR],
    ['923 609 016', EQUINOR],
    ['92360', EQUINOR],
    ['arbeids-/velferd', '889640782'],
  ])('%s finds %s', async (q, orgnr) => {
    if (orgnr) expect((await found(q))[0]).toBe(orgnr);
    else expect(await found(q)).toEqual([]);
  });

  test.each(['%', '_', "'", '*', ':* | a', '\\', '!!', '--', '&'])('%s has no special meaning', async (q) => {
    expect(await found(q.replace('a', 'zzzz'))).toEqual([]);
  });

  test.each(['923 609 0', '923.609.0', '923-6090', '923.609.016', '923-609-016'])(
    'finds %s as the digits of a number, however they are grouped',
    async (q) => {
      expect(await found(q)).toContain(EQUINOR);
    },
  );

  test('finds generated units by their first digits, and no dissolved ones', async () => {
    const orgnr = freshOrgnr();
    expect(await found(orgnr)).toEqual([orgnr]);
    const several = await found('3200', '&limit=20');
    expect(several).toHaveLength(20);
    expect(several.every((each) => each.startsWith('3200'))).toBe(true);
    expect(await found('821227062')).toEqual([]);
    expect(await found('vestfold og telemark')).toEqual([]);
  });

  test('shows units whose name begins with q first, and whether the workspace has them', async () => {
    const workspace = await world.workspace();
    await workspace.company({ orgnr: '311777777' });
    const { data } = (await workspace.client.get('/register?q=alminnelig%20pr%C3%B8ve')).body;
    expect(
      data.map((unit: { orgnr: string; is_branch: boolean; in_workspace: string }) => [
        unit.orgnr,
        unit.is_branch,
        unit.in_workspace,
      ]),
    ).toEqual([
      ['333333333', false, 'none'],
      ['311777777', true, 'company'],
    ]);
  });

  test('finds no more units than limit', async () => {
    expect(await found('as', '&limit=3')).toHaveLength(3);
    expect(await found('as')).toHaveLength(10);
  });

  test.each([
    ['', 'q'],
    ['?q=', 'q'],
    ['?q=%20', 'q'],
    [`?q=${'x'.repeat(101)}`, 'q'],
    ['?q=a&q=b', 'q'],
    ['?q=a&limit=0', 'limit'],
    ['?q=a&limit=21', 'limit'],
    ['?q=a&cursor=', 'cursor'],
  ])('%s is 400', async (query, field) => {
    const { status, body } = await (await client()).get(`/register${query}`);
    expect([status, body.details?.[0]?.field]).toEqual([400, field]);
  });
});
