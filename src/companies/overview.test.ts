import { expect, test } from 'vitest';
import { walk } from '../../test/walk.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

type Row = { orgnr: string; next_task: { title: string } | null };

/** Adds many companies directly to the database. */
async function fill({ id }: Workspace, count: number, name: string, from = 100_000_000) {
  await world.query(
    `with added as (
      insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
      select $1, gen_random_uuid(), $4::integer + n, $3, 'lead', 'api', 'AS', '2020-01-01', 0, '00.000'
      from generate_series(1, $2::integer) as n returning *)
    insert into company_words (tenant_id, word, company_id)
    select tenant_id, word, id from added, unnest(string_to_array(btrim(search), ' ')) as word`,
    [id, count, name, from],
  );
}

test('the list shows the open task that is due first at each company', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const [busy, idle] = [await workspace.company(), await workspace.company()];
  const at = { related_company_id: busy.id };
  await workspace.task({ ...at, title: 'Senere', due_date: '2026-03-01T09:00:00Z' });
  const first = await workspace.task({ ...at, title: 'Først', due_date: '2026-02-01T09:00:00Z' });
  const done = await workspace.task({ ...at, title: 'Gjort', due_date: '2026-01-01T09:00:00Z' });
  await workspace.task({ related_company_id: idle.id });
  await browser.patch(`/tasks/${done.id}`, { completed: true });
  const task = async () =>
    (await browser.get('/companies/overview')).body.data.find((row: Row) => row.orgnr === busy.orgnr)
      .next_task;
  expect(await task()).toEqual({
    id: first.id,
    title: 'Først',
    due_date: first.due_date,
    has_time_specified: true,
    user_id: workspace.owner.id,
  });
  await browser.delete(`/tasks/${first.id}`);
  expect((await task()).title).toBe('Senere');
});

test('the list shows when each company was last changed, of deleted ones too', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [live, gone] = [await workspace.company(), await workspace.company()];
  await workspace.deleteCompany(gone.orgnr);
  const changed = '2026-03-02T10:00:00.000Z';
  await world.query('update companies set updated_at = $1 where tenant_id = $2', [changed, workspace.id]);
  const rows = async (query: string) => (await browser.get(`/companies/overview${query}`)).body.data;
  expect(await rows('')).toEqual([{ ...live, updated_at: changed, next_task: null }]);
  expect(await rows('?deleted=true')).toMatchObject([{ id: gone.id, updated_at: changed }]);
});

function numbersOf(companies: readonly { orgnr: string }[]): string[] {
  return companies.map(({ orgnr }) => orgnr).toSorted();
}

/** The numbers and the count that the list of these companies has. */
function some(...companies: { orgnr: string }[]) {
  return [numbersOf(companies), { count: companies.length, has_more: false }];
}

test('filters and sorting are those of the list of companies; deleted ones are listed on request', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const fields = { status: 'customer', assigned_to: workspace.member.id };
  const [mine, other, gone] = [
    await workspace.company(fields),
    await workspace.company(),
    await workspace.company(fields),
  ];
  await browser.post(`/companies/${other.orgnr}/archive`, {});
  await browser.delete(`/companies/${gone.orgnr}`);
  const list = async (query: string) => [
    numbersOf(await walk(browser, `/companies/overview?${query}`, 1)),
    (await browser.get(`/companies/overview/count?${query}`)).body.data,
  ];
  expect(await list('')).toEqual(some(mine, other));
  expect(await list('status=customer')).toEqual(some(mine));
  expect(await list('assigned_to=none')).toEqual(some(other));
  expect(await list(`assigned_to=${workspace.member.id}&archived=true`)).toEqual(some());
  expect(await list('archived=true')).toEqual(some(other));
  expect(await list(`q=${mine.orgnr}`)).toEqual(some(mine));
  expect(await list('deleted=true')).toEqual(some(gone));
  expect(await list('deleted=true&status=lead')).toEqual(some());
  expect(await list(`deleted=true&q=${gone.orgnr}`)).toEqual(some(gone));
  expect((await browser.get('/companies/overview?deleted=true&sort=name')).body.data).toMatchObject([
    { orgnr: gone.orgnr, is_deleted: true },
  ]);
  expect((await browser.get('/companies/overview?offset=1')).status).toBe(400);
  const stranger = await (await world.workspace()).signIn();
  expect((await stranger.get('/companies/overview?deleted=true')).body.data).toEqual([]);
});

test('a count stops at 10 000', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await fill(workspace, 10_050, 'Fjord AS');
  // Autovacuum does this within a minute: statistics from before the workspace was filled lead to slow plans.
  await world.query('analyze companies, company_words');
  const count = async (query: string) => (await browser.get(`/companies/overview/count?${query}`)).body.data;
  expect(await count('')).toEqual({ count: 10_000, has_more: true });
  expect(await count('status=lead')).toEqual({ count: 10_000, has_more: true });
  expect(await count('q=fjord')).toEqual({ count: 10_000, has_more: true });
  expect(await count('q=fjord%20as')).toEqual({ count: 10_000, has_more: true });
  expect(await count('q=1')).toEqual({ count: 10_000, has_more: true });
  expect(await count('q=fjord&status=customer')).toEqual({ count: null, has_more: true });
  expect(await count('q=fjord&deleted=true')).toEqual({ count: null, has_more: true });
  expect(await count('status=customer')).toEqual({ count: 0, has_more: false });
});

test('matches of one word are never taken for a count of companies; a count that takes too long is null', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const names = ['Fjord Bygg', 'Fjord', 'Bygg', 'Dal Dalen'];
  for (const [at, name] of names.entries()) await fill(workspace, 5_050, name, (at + 1) * 100_000_000);
  await world.query('analyze companies, company_words');
  const count = async (q: string) => (await browser.get(`/companies/overview/count?q=${q}`)).body.data;
  expect(await count('fjord')).toEqual({ count: 10_000, has_more: true });
  for (const q of ['fjord%20bygg', 'dal']) expect(await count(q)).toEqual({ count: null, has_more: true });
  expect(await count('dalen')).toEqual({ count: 5_050, has_more: false });
});

test('tabs have counts: contacts, open tasks and offers', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id, orgnr } = await workspace.company();
  const [contact, erased] = [await workspace.contact(), await workspace.contact()];
  for (const { id: contactId } of [contact, erased]) {
    await browser.post(`/contacts/${contactId}/companies`, { company_id: id });
  }
  await browser.delete(`/contacts/${erased.id}`);
  await workspace.task({ related_company_id: id });
  const done = await workspace.task({ related_company_id: id });
  await browser.patch(`/tasks/${done.id}`, { completed: true });
  await workspace.offer({ company_id: id });
  const counts = { contacts: 1, open_tasks: 1, offers: 1 };
  expect((await browser.get(`/companies/${orgnr}/counts`)).body.data).toEqual(counts);
  await browser.delete(`/companies/${orgnr}`);
  expect((await browser.get(`/companies/${orgnr}/counts`)).body.data).toEqual(counts);
});
