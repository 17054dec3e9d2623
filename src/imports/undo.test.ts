import { expect, test } from 'vitest';
import { importFile, numbered } from '../../test/import-file.ts';
import { holdRow } from '../../test/locks.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

test('after an undo contacts are as they were, except those changed since, which are listed', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const old = await workspace.contact({ name: 'Kari', notes: 'Ring' });
  await workspace.client.post(`/contacts/${old.id}/points`, { type: 'email', value: 'k@example.no' });
  const { id, rows } = await importFile(browser, 'contact', [
    ['Navn', 'E-post', 'Mobil', 'Orgnr', 'Notater'],
    ['Kari N', 'k@example.no', '900 00 000', company.orgnr, 'Nei'],
    ['Ola', 'ola@example.no', '', '', ''],
    ['Per', 'per@example.no', '', '', ''],
  ]);
  const [, ola, per] = rows;
  await workspace.client.patch(`/contacts/${per.resource_id}`, { notes: 'Min' });

  const undone = await browser.post(`/imports/${id}/undo`, {});
  expect(undone.body).toMatchObject({ remaining: 0, data: { undone_count: 2, kept_count: 1 } });
  expect((await browser.get(`/contacts/${old.id}`)).body.data).toEqual(old);
  expect((await browser.get(`/contacts/${old.id}/points`)).body.data).toHaveLength(1);
  expect((await browser.get(`/contacts/${old.id}/companies`)).body.data).toEqual([]);
  expect((await browser.get(`/contacts/${ola.resource_id}`)).status).toBe(404);
  expect((await browser.get(`/imports/${id}/rows?show=kept`)).body.data).toMatchObject([
    { line: 4, label: 'Per', undo: 'kept' },
  ]);
  expect((await browser.post(`/imports/${id}/undo`, {})).body.data).toEqual(undone.body.data);
  const late = await browser.post(`/imports/${id}/rows`, { rows: numbered([['Navn'], ['Ny']]) });
  expect([late.status, late.body.code]).toEqual([409, 'import_undone']);
});

test('an undo deletes added companies unless they are in use, and the next import restores them', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [fresh, used] = [freshOrgnr(), freshOrgnr()];
  const old = await workspace.company({ status: 'lead', phone_number: null });
  const file = [
    ['Orgnr', 'Status', 'Telefon'],
    [fresh, 'Kunde', ''],
    [used, '', ''],
    [old.orgnr, 'Kunde', '22 00 00 00'],
  ];
  const { id } = await importFile(browser, 'company', file);
  await browser.post(`/companies/${used}/notes`, { text: 'x' });
  // As an earlier release stored the row.
  await world.query(`update import_rows set before = before - 'followed' where import_id = $1`, [id]);
  const { body } = await browser.post(`/imports/${id}/undo`, {});
  expect(body.data).toMatchObject({ undone_count: 2, kept_count: 1 });
  expect((await workspace.client.get(`/companies/${fresh}`)).status).toBe(404);
  expect((await browser.get(`/companies/${used}`)).status).toBe(200);
  expect((await browser.get(`/companies/${old.orgnr}`)).body.data).toEqual(old);

  const again = await importFile(browser, 'company', file);
  expect(again.rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'created',
    'unchanged',
    'updated',
  ]);
  expect((await browser.get(`/companies/${fresh}`)).body.data.status).toBe('customer');
  await browser.post(`/imports/${again.id}/undo`, {});
  expect((await workspace.client.get(`/companies/${fresh}`)).status).toBe(404);
});

test('a company that a later import restores is as a new one would be', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const orgnr = '819731322';
  const other = await world.workspace();
  await importFile(await other.signIn(), 'company', [['Orgnr'], [orgnr]]);
  const fresh = (await other.client.get(`/companies/${orgnr}`)).body.data;
  const wide = [
    ['Orgnr', 'Status', 'Ansvarlig', 'Telefon', 'E-post'],
    [orgnr, 'Kunde', workspace.member.email, '22 00 00 00', 'a@example.no'],
  ];
  const first = await importFile(browser, 'company', wide);
  await browser.post(`/imports/${first.id}/undo`, {});
  const second = await importFile(browser, 'company', [
    ['Orgnr', 'E-post'],
    [orgnr, 'a@example.no'],
  ]);
  const { resource_id: id } = first.rows[0];
  const expected = { outcome: 'created', resource_id: id, fields: ['orgnr', 'email_address'] };
  expect(second.rows).toMatchObject([expected]);
  expect((await browser.get(`/companies/${orgnr}`)).body.data).toEqual({
    ...fresh,
    id,
    email_address: 'a@example.no',
  });
  const kept = () => world.query('select kept_fields from companies where id = $1', [id]);
  expect(await kept()).toEqual([{ kept_fields: ['email_address'] }]);

  await browser.post(`/imports/${second.id}/undo`, {});
  const third = await importFile(browser, 'company', [
    ['ID', 'Status'],
    [id, 'Lead'],
  ]);
  expect(third.rows).toMatchObject([{ outcome: 'created', fields: ['orgnr', 'status'] }]);
  expect((await browser.get(`/companies/${orgnr}`)).body.data).toEqual({ ...fresh, id, status: 'lead' });
  expect(await kept()).toEqual([{ kept_fields: [] }]);
});

test('a company that comes into use while others are undone is kept', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id, rows } = await importFile(browser, 'company', [['Orgnr'], [freshOrgnr()], [freshOrgnr()]]);
  const [first, last] = rows
    .map(({ resource_id }: { resource_id: string }) => resource_id)
    .toSorted() as string[];
  const row = 'select line from import_rows where tenant_id = $1 and resource_id = $2 for update';
  const held = await holdRow(world.databaseUrl, row, [workspace.id, last]);
  const undoing = browser.post(`/imports/${id}/undo`, {});
  await held.awaited();
  await workspace.offer({ company_id: first! });
  await held.commit();
  const { body } = await undoing;
  expect(body).toMatchObject({ remaining: 0, data: { undone_count: 1, kept_count: 1 } });
  expect((await browser.get('/companies')).body.data).toMatchObject([{ id: first }]);
  expect((await browser.get(`/imports/${id}/rows?show=kept`)).body.data).toMatchObject([
    { resource_id: first, undo: 'kept' },
  ]);
});

test('an undo deletes added offers, and gives an accepted offer its status and weight back', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const offer = await workspace.offer({ company_id: company.id, title: 'A', status: 'sent', weight: 40 });
  const { id, rows } = await importFile(browser, 'offer', [
    ['Tittel', 'Orgnr', 'Status'],
    ['A', company.orgnr, 'accepted'],
    ['B', company.orgnr, ''],
  ]);
  const path = `/imports/${id}/undo`;
  // With a key, the undo would be in one transaction with the check that follows its commit.
  const keyed = await sendWithKey(browser, { method: 'POST', path, body: {} }, 'undo-1');
  expect([keyed.status, keyed.body.details[0].field]).toEqual([400, 'Idempotency-Key']);
  const { body } = await browser.post(path, {});
  expect(body).toMatchObject({ remaining: 0, data: { undone_count: 2 } });
  expect((await browser.get(`/offers/${offer.id}`)).body.data).toEqual(offer);
  expect((await browser.get(`/offers/${rows[1].resource_id}`)).status).toBe(404);
});

test('a resource whose earlier values housekeeping has deleted stays as it is', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company({ status: 'lead' });
  const offer = await workspace.offer({ company_id: company.id, title: 'A', status: 'sent' });
  const imports = [
    await importFile(browser, 'company', [
      ['Orgnr', 'Status'],
      [company.orgnr, 'Kunde'],
    ]),
    await importFile(browser, 'offer', [
      ['ID', 'Status'],
      [offer.id, 'accepted'],
    ]),
  ];
  for (const { id } of imports) {
    await world.query('update import_rows set before = null where import_id = $1', [id]);
    const { status, body } = await browser.post(`/imports/${id}/undo`, {});
    expect([status, body]).toMatchObject([200, { remaining: 0, data: { undone_count: 0, kept_count: 1 } }]);
  }
});

test('nobody who has left the workspace gets work back', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { owner, member } = workspace;
  const company = await workspace.company({ assigned_to: member.id });
  const offer = await workspace.offer({ company_id: company.id, user_id: member.id });
  const imports = [
    await importFile(browser, 'company', [
      ['Orgnr', 'Selger'],
      [company.orgnr, owner.email],
    ]),
    await importFile(browser, 'offer', [
      ['ID', 'Selger'],
      [offer.id, owner.email],
    ]),
  ];
  await workspace.removeMember(member);
  for (const { id, updated_count } of imports) {
    expect(updated_count).toBe(1);
    const { body } = await browser.post(`/imports/${id}/undo`, {});
    expect(body).toMatchObject({ remaining: 0, data: { undone_count: 0, kept_count: 1 } });
  }
  expect((await browser.get(`/companies/${company.orgnr}`)).body.data.assigned_to).toBe(owner.id);
  expect((await browser.get(`/offers/${offer.id}`)).body.data.user_id).toBe(owner.id);
});

test('an undo that began within a day can be finished', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const file = [['Navn'], ...Array.from({ length: 110 }, (_, index) => [`Person ${index}`])];
  const { id } = await importFile(browser, 'contact', file);
  expect((await browser.post(`/imports/${id}/undo`, {})).body.remaining).toBe(10);
  await world.query(`update imports set created_at = now() - interval '24 hours 1 minute' where id = $1`, [
    id,
  ]);
  expect((await browser.post(`/imports/${id}/undo`, {})).body).toMatchObject({
    remaining: 0,
    data: { undone_count: 110, can_undo: true },
  });
});

test('a long import is undone some rows at a time, and after a day not at all', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const file = [['Navn'], ...Array.from({ length: 110 }, (_, index) => [`Person ${index}`])];
  const { id } = await importFile(browser, 'contact', file);
  expect((await browser.post(`/imports/${id}/undo`, {})).body.remaining).toBe(10);
  expect((await browser.post(`/imports/${id}/undo`, {})).body.remaining).toBe(0);
  expect((await browser.get('/contacts')).body.data).toEqual([]);

  const { id: old } = await importFile(browser, 'contact', file.slice(0, 2));
  await world.query(`update imports set created_at = now() - interval '25 hours' where id = $1`, [old]);
  expect((await browser.get(`/imports/${old}`)).body.data.can_undo).toBe(false);
  const { status, body } = await browser.post(`/imports/${old}/undo`, {});
  expect([status, body.code]).toEqual([410, 'undo_expired']);
});

test('an import from before PostgreSQL’s clock was set back does not stay under way', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await importFile(browser, 'contact', [['Navn'], ['Kari']]);
  expect((await browser.get(`/imports/${id}`)).body.data.is_under_way).toBe(true);
  await world.query(`update imports set updated_at = now() + interval '1 hour' where id = $1`, [id]);
  expect((await browser.get(`/imports/${id}`)).body.data.is_under_way).toBe(false);
});

test('erasing a person also removes what an import stores of them', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await workspace.contact({ name: 'Kari Hemmelig' });
  const imported = await importFile(browser, 'contact', [
    ['ID', 'Navn'],
    [id, 'Kari'],
  ]);
  const kept = () =>
    world.query('select before from import_rows where tenant_id = $1', [workspace.id]).then(JSON.stringify);
  expect(await kept()).toContain('Hemmelig');
  await workspace.client.delete(`/contacts/${id}`);
  expect(await kept()).not.toContain('Hemmelig');
  const { body } = await browser.post(`/imports/${imported.id}/undo`, {});
  expect(body.data).toMatchObject({ undone_count: 0, kept_count: 1 });
});

test('undoing an import locks contacts in order of id', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [first, second] = [await workspace.contact(), await workspace.contact()];
  const { id } = await importFile(browser, 'contact', [
    ['ID', 'Navn'],
    [first.id, 'Første'],
    [second.id, 'Andre'],
  ]);
  const lock = 'select from contacts where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, lock, [workspace.id, first.id]);
  const undoing = browser.post(`/imports/${id}/undo`, {});
  await held.awaited();
  await held.run(
    `select from contacts where tenant_id = '${workspace.id}' and id = '${second.id}' for update`,
  );
  await held.commit();
  expect((await undoing).body).toMatchObject({ remaining: 0, data: { undone_count: 2 } });
});
