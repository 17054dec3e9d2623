import { describe, expect, test } from 'vitest';
import { importFile } from '../../test/import-file.ts';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createMirroredRegister, unit } from '../../test/mirrored-register.ts';
import { deletedRecordOf, recordOf } from '../../test/register-records.ts';
import { sendWithKey } from '../../test/repeats.ts';

const { world, now, sync, announce, companyOf } = await createMirroredRegister();

describe('companies in workspaces', () => {
  test('take over name, form, employees and industry code when the feed names them', async () => {
    const old = unit();
    const company = await companyOf(old);
    const before = await company.read();
    now.server.hold(
      recordOf({ ...old, name: 'NYTT NAVN ASA', org_form: 'ASA', employees: 99, nace_primary: '01.110' }),
    );
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toEqual({
      ...before,
      name: 'NYTT NAVN ASA',
      org_form: 'ASA',
      employees: 99,
      nace_primary: '01.110',
    });
  });

  test('take over contact fields, but never those that someone has set', async () => {
    const old = unit();
    const company = await companyOf(old, { website_url: 'https://own.example' });
    await company.client.patch(`/companies/${old.orgnr}`, { phone_number: null });
    now.server.hold(
      recordOf({
        ...old,
        email_address: 'ny@prove.example',
        phone_number: '99 99 99 99',
        website_url: 'ny.example',
      }),
    );
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toMatchObject({
      email_address: 'ny@prove.example',
      phone_number: null,
      website_url: 'https://own.example',
    });
  });

  test('stay untouched, row and all, when nothing about them changed', async () => {
    const same = unit();
    await companyOf(same);
    const row = () =>
      world.query('select xmin::text, updated_at from companies where orgnr = $1', [same.orgnr]);
    const before = await row();
    announce(same.orgnr, 'Endring');
    await sync();
    expect(await row()).toEqual(before);
  });

  test('record when their unit is dissolved, and when it is active again', async () => {
    const old = unit();
    const company = await companyOf(old);
    now.server.hold(deletedRecordOf({ orgnr: old.orgnr, name: old.name, org_form: 'AS', on: '2026-10-01' }));
    announce(old.orgnr, 'Sletting');
    await sync();
    expect(await company.dissolvedOn()).toBe('2026-10-01');
    now.server.hold(recordOf(old));
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.dissolvedOn()).toBeNull();
  });

  test('lose what the register supplied when the unit is removed on legal grounds, and keep their own', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    const company = await companyOf(gone, { phone_number: '11 11 11 11', status: 'customer' });
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect(await company.read()).toMatchObject({
      name: gone.orgnr,
      org_form: 'ENK',
      registered_at: gone.registered_at,
      employees: 0,
      nace_primary: '00.000',
      email_address: null,
      website_url: null,
      phone_number: '11 11 11 11',
      status: 'customer',
    });
  });

  test('are no longer in answers remembered under an Idempotency-Key when the unit is removed', async () => {
    const [gone, stays] = [unit({ org_form: 'ENK', name: 'KARI NORDMANN' }), unit()];
    const { id, client } = await companyOf(stays);
    now.server.hold(recordOf(gone));
    const keys = ['created', 'found'];
    const post = (orgnr: string, key: string) =>
      sendWithKey(client, { method: 'POST', path: '/companies', body: { orgnr } }, `${key}-${orgnr}`);
    for (const { orgnr } of [gone, stays]) for (const key of keys) await post(orgnr, key);
    announce(gone.orgnr, 'Fjernet');
    await sync();
    for (const key of keys) {
      expect(await post(gone.orgnr, key)).toMatchObject({ status: 410, body: { code: 'erased' } });
    }
    for (const key of keys) {
      expect(await post(stays.orgnr, key)).toMatchObject({ body: { data: { name: stays.name } } });
    }
    const kept = await world.query('select body from remembered_answers where tenant_id = $1', [id]);
    expect(JSON.stringify(kept)).not.toContain(gone.name);
    expect((await post(gone.orgnr, 'new')).body.data.name).toBe(gone.orgnr);
    await now.register.find(gone.orgnr);
    expect((await post(gone.orgnr, 'new')).body.data.name).toBe(gone.orgnr);
  });

  test('also lose values that an import replaced when the unit is removed', async () => {
    const gone = unit({ org_form: 'ENK', phone_number: '99 99 99 99' });
    const company = await companyOf(gone);
    const browser = await company.signIn();
    const { id } = await importFile(browser, 'company', [
      ['Orgnr', 'Telefon'],
      [gone.orgnr, '11 11 11 11'],
    ]);
    const replaced = () => world.query('select before from import_rows where import_id = $1', [id]);
    expect(await replaced()).toMatchObject([{ before: { phone_number: '99 99 99 99' } }]);
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect(await replaced()).toEqual([{ before: null }]);
    const { body } = await browser.post(`/imports/${id}/undo`, {});
    expect(body.data).toMatchObject({ undone_count: 0, kept_count: 1 });
    expect(await company.read()).toMatchObject({ phone_number: '11 11 11 11' });
  });

  test('lose no values that an import replaced in another resource with the same id', async () => {
    const gone = unit({ org_form: 'ENK' });
    const company = await companyOf(gone);
    const { id: same } = await company.read();
    const offer = await company.offer({ id: same, company_id: same, title: 'Avtale' });
    const browser = await company.signIn();
    const { id } = await importFile(browser, 'offer', [
      ['ID', 'Tittel'],
      [offer.id, 'Ny avtale'],
    ]);
    announce(gone.orgnr, 'Fjernet');
    await sync();
    const { body } = await browser.post(`/imports/${id}/undo`, {});
    expect(body.data).toMatchObject({ undone_count: 1, kept_count: 0 });
  });

  test('follow the register again in the fields that an import set, once it is undone', async () => {
    const old = unit();
    const company = await companyOf(old, { email_address: 'own@example.no' });
    const before = await company.read();
    const browser = await company.signIn();
    const { id } = await importFile(browser, 'company', [
      ['Orgnr', 'Telefon', 'E-post'],
      [old.orgnr, '11 11 11 11', 'imported@example.no'],
    ]);
    const changed = { phone_number: '99 99 99 99', email_address: 'ny@example.no', employees: 77 };
    now.server.hold(recordOf({ ...old, ...changed }));
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toMatchObject({ phone_number: '11 11 11 11', employees: 77 });
    const { body } = await browser.post(`/imports/${id}/undo`, {});
    expect(body.data).toMatchObject({ undone_count: 1, kept_count: 0 });
    expect(await company.read()).toEqual({ ...before, employees: 77 });
    announce(old.orgnr, 'Endring');
    await sync();
    expect(await company.read()).toEqual({ ...before, employees: 77, phone_number: '99 99 99 99' });
    announce(old.orgnr, 'Fjernet');
    await sync();
    expect(await company.read()).toMatchObject({ phone_number: null, email_address: 'own@example.no' });
  });

  test('are created again by an import after an undo has deleted them and the register has changed them', async () => {
    const [known, fresh] = [unit(), unit()];
    const { signIn } = await companyOf(known);
    const browser = await signIn();
    now.server.hold(recordOf(fresh));
    const first = await importFile(browser, 'company', [['Orgnr'], [fresh.orgnr]]);
    await browser.post(`/imports/${first.id}/undo`, {});
    now.server.hold(recordOf({ ...fresh, employees: 77 }));
    announce(fresh.orgnr, 'Endring');
    await sync();
    const again = await importFile(browser, 'company', [['Orgnr'], [fresh.orgnr]]);
    const [{ resource_id }] = first.rows;
    expect(again.rows).toMatchObject([{ outcome: 'created', resource_id }]);
    expect((await browser.get(`/companies/${fresh.orgnr}`)).body.data.employees).toBe(77);
    await browser.post(`/imports/${again.id}/undo`, {});
    expect((await browser.get(`/companies/${fresh.orgnr}`)).body.data.is_deleted).toBe(true);
  });

  test('have their imported values undone although the register changes them during the undo', async () => {
    const [held, changed] = [unit(), unit()];
    const workspace = await companyOf(held);
    now.server.hold(recordOf(changed));
    await workspace.company({ orgnr: changed.orgnr });
    const browser = await workspace.signIn();
    const { id } = await importFile(browser, 'company', [
      ['Orgnr', 'Status'],
      [held.orgnr, 'Kunde'],
      [changed.orgnr, 'Kunde'],
    ]);
    // The company that was created first is undone first.
    const lock = 'select from companies where tenant_id = $1 and orgnr = $2 for update';
    const company = await holdRow(world.databaseUrl, lock, [workspace.id, held.orgnr]);
    const undoing = browser.post(`/imports/${id}/undo`, {});
    await company.awaited();
    now.server.hold(recordOf({ ...changed, employees: 77 }));
    announce(changed.orgnr, 'Endring');
    await sync();
    await company.commit();
    expect((await undoing).body).toMatchObject({ remaining: 0, data: { undone_count: 2, kept_count: 0 } });
  });

  test('have their imported values undone although a change from the register waited for the import', async () => {
    const [changed, held] = [unit(), unit()];
    const workspace = await companyOf(changed);
    now.server.hold(recordOf(held));
    await workspace.company({ orgnr: held.orgnr });
    const browser = await workspace.signIn();
    // An import changes the company that was created first before it waits for the other.
    const lock = 'select from companies where tenant_id = $1 and orgnr = $2 for update';
    const company = await holdRow(world.databaseUrl, lock, [workspace.id, held.orgnr]);
    const importing = importFile(browser, 'company', [
      ['Orgnr', 'Status'],
      [changed.orgnr, 'Kunde'],
      [held.orgnr, 'Kunde'],
    ]);
    await company.awaited();
    now.server.hold(recordOf({ ...changed, employees: 77 }));
    announce(changed.orgnr, 'Endring');
    const syncing = sync();
    await expect.poll(() => countWaiters(world)).toBe(2);
    await company.commit();
    const [{ id }] = await Promise.all([importing, syncing]);
    expect(await workspace.read()).toMatchObject({ status: 'customer', employees: 77 });
    const { body } = await browser.post(`/imports/${id}/undo`, {});
    expect(body).toMatchObject({ remaining: 0, data: { undone_count: 2, kept_count: 0 } });
    expect(await workspace.read()).toMatchObject({ status: 'prospect', employees: 77 });
  });

  test('follow the register in every workspace at once', async () => {
    const shared = unit();
    const companies = [await companyOf(shared), await companyOf(shared)];
    now.server.hold(recordOf({ ...shared, name: 'FELLES AS' }));
    announce(shared.orgnr, 'Endring');
    await sync();
    for (const company of companies) expect(await company.read()).toMatchObject({ name: 'FELLES AS' });
  });

  test('are found by their new name alone, with an entry in the change log and on the timeline', async () => {
    const old = unit();
    const { client } = await companyOf(old);
    const start = (await client.get('/changes?cursor=now')).body.page.next_cursor;
    now.server.hold(recordOf({ ...old, name: 'Ørnefjell Nyskapning AS', employees: 77 }));
    announce(old.orgnr, 'Endring');
    await sync();
    const found = async (q: string) =>
      (await client.get(`/companies?q=${encodeURIComponent(q)}`)).body.data.map(
        ({ orgnr }: { orgnr: string }) => orgnr,
      );
    expect(await found('ørnefj')).toEqual([old.orgnr]);
    expect(await found(old.name)).toEqual([]);
    const { data } = (await client.get(`/changes?cursor=${start}`)).body;
    expect(data).toEqual([
      expect.objectContaining({
        resource: 'company',
        orgnr: old.orgnr,
        action: 'updated',
        fields: ['name', 'employees'],
        values: { employees: [old.employees, 77] },
        actor: { kind: 'register', id: null },
        request_id: null,
      }),
    ]);
    const timeline = (await client.get(`/companies/${old.orgnr}/timeline`)).body.data;
    expect(timeline[0]).toMatchObject({
      type: 'register_change',
      content: { fields: ['name', 'employees'] },
      user_id: null,
    });
  });

  test('get an entry in the change log also when they are dissolved or removed', async () => {
    const [dissolved, removed] = [unit(), unit()];
    const [one, other] = [await companyOf(dissolved), await companyOf(removed)];
    now.server.hold(deletedRecordOf({ ...dissolved, on: '2026-05-01' }));
    announce(dissolved.orgnr, 'Sletting');
    announce(removed.orgnr, 'Fjernet');
    await sync();
    const last = async ({ client }: typeof one) => (await client.get('/changes')).body.data.at(-1);
    expect(await last(one)).toMatchObject({ action: 'updated', fields: ['dissolved_on'], values: {} });
    expect((await last(other)).fields).toContain('name');
    expect((await other.client.get(`/companies?q=${encodeURIComponent(removed.name)}`)).body.data).toEqual(
      [],
    );
  });
});
