import { expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

/** The activity of a workspace, without times and ids. */
async function told(workspace: Workspace) {
  const browser = await workspace.signIn();
  const { data } = (await browser.get('/activity')).body;
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer's JSON
  return data.map(({ actor, company, contact, deeds, others, more }: any) => ({
    actor: actor.name,
    at: company?.name ?? contact?.name,
    // oxlint-disable-next-line typescript/no-explicit-any -- an answer's JSON
    deeds: deeds.map(({ resource, action, title }: any) => [resource, action, title]),
    others,
    more,
  }));
}

test('what one person did at one company is one activity, newest first, with names', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const company = await workspace.company();
  const task = (
    await browser.post('/tasks', {
      title: 'Ring',
      due_date: '2026-01-15T09:00Z',
      user_id: workspace.member.id,
      related_company_id: company.id,
    })
  ).body.data;
  await browser.patch(`/companies/${company.orgnr}`, { status: 'customer' });
  await browser.patch(`/companies/${company.orgnr}`, { status: 'lead' });
  await browser.patch(`/tasks/${task.id}`, { completed: true });
  expect(await told(workspace)).toEqual([
    {
      actor: 'Kari Nordmann',
      at: company.name,
      deeds: [
        ['task', 'created', 'Ring'],
        ['company', 'updated', null],
      ],
      others: 0,
      more: 0,
    },
    { actor: 'test', at: company.name, deeds: [['company', 'created', null]], others: 0, more: 0 },
  ]);
  const { data } = (await browser.get('/activity')).body;
  const moved = data[0].deeds[1];
  // From the status before the first change to the status after the last.
  expect(moved.values.status).toEqual(['prospect', 'lead']);
  expect(data[0].deeds[0].values.completed).toEqual([null, true]);
});

test('many similar activities are combined into one, and a deleted task keeps its title', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const titled = await workspace.task({ title: 'Rydd' });
  for (let count = 0; count < 5; count++) await workspace.contact({ name: `Kari ${count}` });
  await browser.delete(`/tasks/${titled.id}`);
  expect(await told(workspace)).toEqual([
    { actor: 'Ola Nordmann', at: undefined, deeds: [['task', 'deleted', 'Rydd']], others: 0, more: 0 },
    { actor: 'test', at: 'Kari 4', deeds: [['contact', 'created', 'Kari 4']], others: 4, more: 0 },
    { actor: 'test', at: undefined, deeds: [['task', 'created', 'Rydd']], others: 0, more: 0 },
  ]);
});

test('the creation of a contact is shown whatever was done to it since; its details belong to it', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const [kari, company] = [await workspace.contact({ name: 'Kari' }), await workspace.company()];
  await client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'kari@example.no' });
  await client.post(`/contacts/${kari.id}/points`, { type: 'telephone', value: '22 22 22 22' });
  await client.post(`/contacts/${kari.id}/companies`, { company_id: company.id });
  for (const title of ['First', 'Second', 'Third']) await workspace.offer({ company_id: company.id, title });
  expect(await told(workspace)).toEqual([
    {
      actor: 'test',
      at: company.name,
      deeds: [
        ['offer', 'created', 'Third'],
        ['offer', 'created', 'Second'],
        ['company', 'created', null],
      ],
      others: 0,
      more: 1,
    },
    {
      actor: 'test',
      at: 'Kari',
      deeds: [
        ['link', 'created', 'Kari'],
        ['point', 'created', 'Kari'],
        ['contact', 'created', 'Kari'],
      ],
      others: 0,
      more: 0,
    },
  ]);
});

test('an erased contact is shown without a name', async () => {
  const workspace = await world.workspace();
  const contact = await workspace.contact({ name: 'Hemmelig Person' });
  await workspace.client.delete(`/contacts/${contact.id}`);
  const browser = await workspace.signIn();
  expect((await browser.get('/activity')).text).not.toContain('Hemmelig');
});

test('a task, an offer and a contact with the same id are not confused', async () => {
  const workspace = await world.workspace();
  const id = crypto.randomUUID();
  const [one, other] = [await workspace.company(), await workspace.company()];
  await workspace.contact({ id, name: 'Kari' });
  await workspace.task({ id, title: 'Ring', related_company_id: one.id });
  await workspace.offer({ id, title: 'Avtale', company_id: other.id });
  const places = (await told(workspace)).flatMap(({ at, deeds }: { at: string; deeds: string[][] }) =>
    deeds.map(([resource]) => [resource, at]),
  );
  expect(places).toContainEqual(['contact', 'Kari']);
  expect(places).toContainEqual(['task', one.name]);
  expect(places).toContainEqual(['offer', other.name]);
});
