import { expect, test } from 'vitest';
import { importFile } from '../../test/import-file.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a person is named by id, address or full name in any case, unless two have that name', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const person = await workspace.addMember({ first_name: 'Åse', last_name: 'Lie' });
  for (let twin = 0; twin < 2; twin++) await workspace.addMember({ first_name: 'Per', last_name: 'Li' });
  const given = [person.id, person.email, 'Åse Lie', ' ÅSE LIE ', 'per li', 'Åse'];
  const companies = await Promise.all(given.map(() => workspace.company()));
  const { rows } = await importFile(browser, 'company', [
    ['Orgnr', 'Ansvarlig'],
    ...given.map((cell, at) => [companies[at]!.orgnr, cell]),
  ]);
  expect(rows.map((row: { reasons: { code: string }[] }) => row.reasons.map(({ code }) => code))).toEqual([
    [],
    [],
    [],
    [],
    ['ambiguous_user'],
    ['unknown_user'],
  ]);
  const read = await Promise.all(companies.map(({ orgnr }) => browser.get(`/companies/${orgnr}`)));
  expect(read.map(({ body }) => body.data.assigned_to)).toEqual([
    ...Array.from({ length: 4 }, () => person.id),
    null,
    null,
  ]);
});

test.each(['merged', 'erased'])(
  'a contact that has the id of a company and is %s leaves what an import changed in the company',
  async (fate) => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const company = await workspace.company({ status: 'lead' });
    const imported = await importFile(browser, 'company', [
      ['Orgnr', 'Status'],
      [company.orgnr, 'Kunde'],
    ]);
    await workspace.contact({ id: company.id });
    const kept = await workspace.contact();
    const gone =
      fate === 'merged'
        ? await browser.post(`/contacts/${kept.id}/merge`, { other_id: company.id })
        : await workspace.client.delete(`/contacts/${company.id}`);
    expect([200, 204]).toContain(gone.status);
    await browser.post(`/imports/${imported.id}/undo`, {});
    expect((await browser.get(`/companies/${company.orgnr}`)).body.data.status).toBe('lead');
  },
);
