import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

type Kind = 'companies' | 'contacts' | 'offers' | 'tasks';

test('one search finds companies, contacts, offers and tasks, with what tells them apart', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const contact = await workspace.contact({ name: 'Åse Ødegård' });
  await client.post(`/contacts/${contact.id}/points`, { type: 'email', value: 'aase@example.no' });
  await client.post(`/contacts/${contact.id}/companies`, { company_id: company.id });
  const offer = await workspace.offer({ title: 'Serviceavtale for ØDEGÅRD', company_id: company.id });
  const task = await workspace.task({ title: 'Ring Ødegård', related_company_id: company.id });
  await workspace.task({ title: 'Ring banken' });

  const { status, body } = await browser.get(`/search?q=${encodeURIComponent('ødegå')}`);
  expect(status).toBe(200);
  const { id, title, status: offerStatus, user_id } = offer;
  expect(body.data).toEqual({
    companies: [],
    contacts: [
      { id: contact.id, name: 'Åse Ødegård', detail: 'aase@example.no', company_name: company.name },
    ],
    offers: [{ id, title, status: offerStatus, user_id, company_name: company.name }],
    tasks: [
      {
        id: task.id,
        title: task.title,
        due_date: task.due_date,
        has_time_specified: true,
        completed: false,
        user_id: task.user_id,
        company_name: company.name,
        company_orgnr: company.orgnr,
      },
    ],
  });
  const byNumber = (await browser.get(`/search?q=${company.orgnr}`)).body.data;
  expect(byNumber.companies.map(({ orgnr }: { orgnr: string }) => orgnr)).toEqual([company.orgnr]);
  expect((await browser.get('/search?q=aase@ex')).body.data.contacts).toHaveLength(1);
});

test('titles are found as they are now: after a change, a deletion and a restore', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id: offer } = await workspace.offer({ title: 'Havvind' });
  const { id: task } = await workspace.task({ title: 'Havvind' });
  const found = async (q: string) => {
    const { data } = (await browser.get(`/search?q=${q}`)).body;
    return (['offers', 'tasks'] as Kind[]).map((kind) => data[kind].length);
  };
  // A search for fewer than three letters takes another way: it reads rows in order of id.
  expect([await found('havv'), await found('ha')]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  for (const path of [`/offers/${offer}`, `/tasks/${task}`]) await browser.patch(path, { title: 'Solkraft' });
  expect([await found('havv'), await found('solk')]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  for (const path of [`/offers/${offer}`, `/tasks/${task}`]) await browser.delete(path);
  expect(await found('solk')).toEqual([0, 0]);
  for (const table of ['offer_words', 'task_words'])
    expect(await world.query(`select * from ${table} where tenant_id = $1`, [workspace.id])).toEqual([]);
  // A word that a race left behind does not keep a title from being restored.
  await world.query('insert into offer_words values ($1, $2, $3)', [workspace.id, 'solkraft', offer]);
  for (const path of [`/offers/${offer}`, `/tasks/${task}`]) {
    const restored = await browser.post(`${path}/restore`, {});
    expect(restored.status).toBe(200);
  }
  expect(await found('solk')).toEqual([1, 1]);
});

test('a search finds nothing of another workspace, and nobody searches without a word or with a key', async () => {
  const workspace = await world.workspace();
  const stranger = await (await world.workspace()).signIn();
  await workspace.task({ title: 'Hemmelig' });
  await workspace.contact({ name: 'Hemmelig' });
  const { data } = (await stranger.get('/search?q=hemmelig')).body;
  expect(data).toEqual({ companies: [], contacts: [], offers: [], tasks: [] });
  for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(101)}`, '?q=a&limit=51'])
    expect((await stranger.get(`/search${query}`)).status).toBe(400);
  expect((await workspace.client.get('/search?q=hemmelig')).status).toBe(404);
});

test('names of companies are looked up by id, deleted ones too, in this workspace alone', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [one, two] = [await workspace.company(), await workspace.company()];
  const other = await (await world.workspace()).company();
  await workspace.deleteCompany(two.orgnr);
  const ids = [one.id, two.id.toUpperCase(), other.id].join(',');
  const { body } = await browser.get(`/company-names?ids=${ids}`);
  const name = ({ id, orgnr, name, is_archived }: typeof one, is_deleted: boolean) => ({
    id,
    orgnr,
    name,
    is_archived,
    is_deleted,
  });
  expect(body.data.toSorted((a: typeof one, b: typeof one) => (a.id < b.id ? -1 : 1))).toEqual([
    name(one, false),
    name(two, true),
  ]);
  for (const wrong of ['', 'x', `${one.id},`, Array.from({ length: 101 }, () => crypto.randomUUID()).join()])
    expect((await browser.get(`/company-names?ids=${wrong}`)).status).toBe(400);
});
