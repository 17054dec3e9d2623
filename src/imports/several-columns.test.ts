import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

async function checking() {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { orgnr } = await workspace.company();
  const check = async (resource: string, columns: string[], cells: string[]) => {
    const body = { resource, columns, rows: [{ line: 2, cells }] };
    return (await browser.post('/import-checks', body)).body.data[0];
  };
  return { workspace, browser, orgnr, check };
}

test('first and last names in columns of their own are one name', async () => {
  const { workspace, browser } = await checking();
  const about = { resource: 'contact', columns: ['name', 'name'], file_name: 'a.csv', row_count: 2 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const rows = [
    { line: 2, cells: ['Kari', ' Nordmann '] },
    { line: 3, cells: ['', 'Hansen'] },
  ];
  await browser.post(`/imports/${id}/rows`, { rows });
  const { data } = (await workspace.client.get('/contacts')).body;
  expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Hansen', 'Kari Nordmann']);
});

test('a field that holds one value is given by one column in each row', async () => {
  const { orgnr, check } = await checking();
  const offer = ['title', 'company', 'one_time_revenue', 'one_time_revenue'];
  expect(await check('offer', offer, ['A', orgnr, '50000', '20000'])).toMatchObject({
    outcome: 'refused',
    reasons: [{ field: 'one_time_revenue', code: 'several' }],
  });
  expect(await check('offer', offer, ['A', orgnr, '', '20000'])).toMatchObject({ outcome: 'created' });
  const companies = ['title', 'company', 'company'];
  expect((await check('offer', companies, ['A', orgnr, orgnr])).reasons).toEqual([
    { field: 'company', code: 'several' },
  ]);
  expect(await check('offer', companies, ['A', '', orgnr])).toMatchObject({ outcome: 'created' });
  const company = ['orgnr', 'phone_number', 'phone_number', 'website_url', 'website_url'];
  const cells = [freshOrgnr(), '22 00 00 00', '33 00 00 00', 'a.no', 'b.no'];
  const { reasons } = await check('company', company, cells);
  expect(reasons).toEqual([
    { field: 'phone_number', code: 'several' },
    { field: 'website_url', code: 'several' },
  ]);
});

test('line breaks around a cell of one value are not part of it', async () => {
  const { workspace, browser, check } = await checking();
  const orgnr = freshOrgnr();
  const cells = [`\n${orgnr}`, 'Kunde\r\n', '22 00 00 00\n'];
  const columns = ['orgnr', 'status', 'phone_number'];
  expect(await check('company', columns, cells)).toMatchObject({ outcome: 'created' });
  const about = { resource: 'contact', columns: ['name'], file_name: 'a.csv', row_count: 1 };
  const { id } = (await browser.post('/imports', about)).body.data;
  await browser.post(`/imports/${id}/rows`, { rows: [{ line: 2, cells: ['\nKari\n'] }] });
  expect((await workspace.client.get('/contacts')).body.data).toMatchObject([{ name: 'Kari' }]);
});

test('two numbers in one cell are not one number', async () => {
  const { orgnr, check } = await checking();
  const offer = ['title', 'company', 'one_time_revenue'];
  const { reasons } = await check('offer', offer, ['A', orgnr, '50000\n20000']);
  expect(reasons).toEqual([{ field: 'one_time_revenue', code: 'invalid_number' }]);
  expect(await check('offer', offer, ['A', orgnr, 'kr 50 000\r\n'])).toMatchObject({ outcome: 'created' });
});

test('each role belongs to the company beside it, also where cells are empty or have several lines', async () => {
  const { workspace, browser, orgnr } = await checking();
  const other = await workspace.company();
  const columns = ['name', 'company', 'role', 'company', 'role'];
  const about = { resource: 'contact', columns, file_name: 'a.csv', row_count: 4 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const rows = [
    { line: 2, cells: ['A', orgnr, '', other.orgnr, 'Leder'] },
    { line: 3, cells: ['B', '', 'Daglig leder', other.orgnr, 'Selger'] },
    { line: 4, cells: ['C', `${orgnr}\n`, 'Eier', other.orgnr, 'Styreleder'] },
    { line: 5, cells: ['D', '', '', '', ''] },
  ];
  const { data } = (await browser.post(`/imports/${id}/rows`, { rows })).body;
  expect(data.map(({ fields }: { fields: string[] }) => fields)).toEqual([
    ['name', 'company'],
    ['name', 'company'],
    ['name', 'company'],
    ['name'],
  ]);
  const stored = (await workspace.client.get('/contacts?include=links')).body.data;
  type Stored = { name: string; links: { company_id: string; role: string | null }[] };
  const rolesOf = ({ name, links }: Stored) => [
    name,
    links.find(({ company_id }) => company_id !== other.id)?.role,
    links.find(({ company_id }) => company_id === other.id)?.role,
  ];
  expect(stored.map(rolesOf).toSorted()).toEqual([
    ['A', null, 'Leder'],
    ['B', undefined, 'Selger'],
    ['C', 'Eier', 'Styreleder'],
    ['D', undefined, undefined],
  ]);
});

test('of several links to one company, a row means the one with its role, else one without a role', async () => {
  const { workspace, browser, orgnr } = await checking();
  const company = (await workspace.client.get(`/companies/${orgnr}`)).body.data;
  const { id: contact } = await workspace.contact({ name: 'Kari' });
  const link = (role: string | null) =>
    workspace.client.post(`/contacts/${contact}/companies`, { company_id: company.id, role });
  for (const role of ['Styreleder', null, 'Daglig leder']) await link(role);
  const roles = async () =>
    (await workspace.client.get(`/contacts/${contact}/companies`)).body.data.map(
      (one: { role: string | null }) => one.role,
    );
  const columns = ['id', 'company', 'role', 'company', 'role'];
  const importRoles = async (first: string, second: string) => {
    const about = { resource: 'contact', columns, file_name: 'a.csv', row_count: 1 };
    const { id } = (await browser.post('/imports', about)).body.data;
    const rows = [{ line: 2, cells: [contact, orgnr, first, second && orgnr, second] }];
    const { data } = (await browser.post(`/imports/${id}/rows`, { rows })).body;
    return data[0].outcome;
  };
  expect(await importRoles('Daglig leder', '')).toBe('unchanged');
  expect(await roles()).toEqual(['Styreleder', null, 'Daglig leder']);
  expect(await importRoles('Selger', 'Styreleder')).toBe('updated');
  expect(await roles()).toEqual(['Styreleder', 'Selger', 'Daglig leder']);
});

test.each(['1.234,567', '1,234.567', '0,500', '0.500'])('%s is not a whole number', async (number) => {
  const { orgnr, check } = await checking();
  const { reasons } = await check('offer', ['title', 'company', 'one_time_revenue'], ['A', orgnr, number]);
  expect(reasons).toEqual([{ field: 'one_time_revenue', code: 'invalid_number' }]);
});
