import { expect, test, vi } from 'vitest';
import { importFile, numbered } from '../../test/import-file.ts';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';
import { RegisterUnavailable, type Register } from '../register/register.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';

const world = await createWorld();

const outcomes = (rows: { outcome: string }[]) => rows.map(({ outcome }) => outcome);

test('a batch that is sent again, with or without its Idempotency-Key, is imported once', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const about = { resource: 'contact', columns: ['name'], file_name: 'a.csv', row_count: 2 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const rows = numbered([['Navn'], ['Kari'], ['Ola']]);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'batch-1' };
  const send = () =>
    browser.send({ method: 'POST', path: `/imports/${id}/rows`, headers, body: JSON.stringify({ rows }) });
  const first = await send();
  expect(outcomes(first.body.data)).toEqual(['created', 'created']);
  expect((await send()).headers['idempotency-replayed']).toBe('true');
  const again = await browser.post(`/imports/${id}/rows`, { rows });
  expect(again.body.data).toEqual(first.body.data);
  expect((await workspace.client.get('/contacts')).body.data).toHaveLength(2);
  expect((await browser.get(`/imports/${id}`)).body.data.created_count).toBe(2);
  const listed = (await browser.get(`/imports/${id}/rows?show=created`)).body;
  expect(listed).toMatchObject({
    data: [
      { line: 2, label: 'Kari' },
      { line: 3, label: 'Ola' },
    ],
    next: null,
  });
});

test('a batch must contain each line only once', async () => {
  const browser = await (await world.workspace()).signIn();
  const about = { resource: 'contact', columns: ['name'] };
  const { id } = (await browser.post('/imports', { ...about, file_name: 'a.csv', row_count: 2 })).body.data;
  const twice = { rows: ['Kari', 'Ola'].map((name) => ({ line: 2, cells: [name] })) };
  const details = [{ field: 'rows', message: 'must have each line once' }];
  for (const [path, body] of [
    [`/imports/${id}/rows`, twice],
    ['/import-checks', { ...about, ...twice }],
  ] as const) {
    expect(await browser.post(path, body)).toMatchObject({ status: 400, body: { details } });
  }
  expect((await browser.get(`/imports/${id}`)).body.data.created_count).toBe(0);
});

test.each(['company', 'contact', 'offer'] as const)(
  'only the row with text that cannot be stored is refused: %s',
  async (resource) => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const { orgnr } = await workspace.company();
    const { rows } = await importFile(browser, resource, [
      ['ID', 'Navn', 'Tittel', 'Orgnr'],
      ['\0', 'Kari', 'A', resource === 'company' ? '' : orgnr],
      ['', 'Ola\0', 'B\0', resource === 'company' ? '' : orgnr],
      ['', 'Per', 'C', orgnr],
    ]);
    const good = resource === 'company' ? 'unchanged' : 'created';
    expect(outcomes(rows)).toEqual(['refused', 'refused', good]);
  },
);

test('after a look-up that fails, no other look-up of the batch begins', async () => {
  const answered = Promise.withResolvers<void>();
  const find = vi.fn<Register['find']>(async () => {
    await answered.promise;
    return { outcome: 'unknown' };
  });
  find.mockRejectedValueOnce(new RegisterUnavailable('cannot be read', 1));
  const running = await world.start({ register: { ...sandboxRegister(), find } });
  const browser = await (await world.workspace(running)).signIn();
  const rows = numbered([[], ...Array.from({ length: 100 }, () => [freshOrgnr()])]);
  const body = { resource: 'company', columns: ['orgnr'], rows };
  expect((await browser.post('/import-checks', body)).status).toBe(503);
  answered.resolve();
  await browser.get('/imports');
  expect(find).toHaveBeenCalledTimes(4);
});

test('only the row of a company whose record in the register cannot be read is refused', async () => {
  const register = sandboxRegister();
  const [orgnr, unreadable] = [freshOrgnr(), freshOrgnr()];
  let isBroken = false;
  const find: Register['find'] = async (wanted) => {
    if (!isBroken && wanted !== unreadable) return register.find(wanted);
    throw new RegisterUnavailable('a unit in an unknown format', 1, { fault: 'unit' });
  };
  const running = await world.start({ register: { ...register, find } });
  const browser = await (await world.workspace(running)).signIn();
  const { rows } = await importFile(browser, 'company', [['Orgnr'], [unreadable], [orgnr]]);
  expect(rows).toMatchObject([
    { outcome: 'refused', reasons: [{ field: 'orgnr', code: 'unreadable_in_register' }] },
    { outcome: 'created' },
  ]);
  isBroken = true;
  const many = numbered([[], ...Array.from({ length: 6 }, () => [freshOrgnr()])]);
  const body = { resource: 'company', columns: ['orgnr'], rows: many };
  expect((await browser.post('/import-checks', body)).status).toBe(503);
});

test('a deleted company is refused without asking the register', async () => {
  const register = sandboxRegister();
  const find = vi.fn<Register['find']>((orgnr) => register.find(orgnr));
  const running = await world.start({ register: { ...register, find } });
  const workspace = await world.workspace(running);
  const { orgnr } = await workspace.company();
  await workspace.deleteCompany(orgnr);
  find.mockRejectedValue(new RegisterUnavailable('away', 1));
  const { rows } = await importFile(await workspace.signIn(), 'company', [['Orgnr'], [orgnr]]);
  expect(rows).toMatchObject([{ outcome: 'refused', reasons: [{ code: 'deleted_company' }] }]);
});

test.each(['add', 'restore'])(
  'imports of two workspaces %s the same companies without a deadlock',
  async (what) => {
    const register = sandboxRegister();
    const asOf = Temporal.Now.instant().toString();
    const find: Register['find'] = async (orgnr) => ({ ...(await register.find(orgnr)), asOf }) as never;
    const running = await world.start({ register: { ...register, find } });
    const browsers = [
      await (await world.workspace(running)).signIn(),
      await (await world.workspace(running)).signIn(),
    ] as const;
    const numbers = [freshOrgnr(), freshOrgnr()].toSorted();
    const file = [['Orgnr'], ...numbers.map((orgnr) => [orgnr])];
    const files = [file, [file[0]!, ...file.slice(1).toReversed()]] as const;
    // Companies have ids in the order of their first import.
    for (const [index, browser] of what === 'restore' ? browsers.entries() : []) {
      const { id } = await importFile(browser, 'company', files[index]!);
      expect((await browser.post(`/imports/${id}/undo`, {})).body.remaining).toBe(0);
    }
    await world.query("insert into register_invalidations values ($1, 'epoch') on conflict do nothing", [
      numbers[0],
    ]);
    const lock = 'select from register_invalidations where orgnr = $1 for update';
    const held = await holdRow(world.databaseUrl, lock, [numbers[0]]);
    const first = importFile(browsers[0], 'company', files[0]);
    await held.awaited();
    const second = importFile(browsers[1], 'company', files[1]);
    await expect.poll(() => countWaiters(world)).toBe(2);
    await held.commit();
    for (const { rows } of await Promise.all([first, second])) {
      expect(outcomes(rows)).toEqual(['created', 'created']);
    }
  },
);
