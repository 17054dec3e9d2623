import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('the history of an offer says who did what, with names, also after it was deleted', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id, company_id } = await workspace.offer();
  const company = await workspace.company();
  await browser.patch(`/offers/${id}`, {
    status: 'sent',
    user_id: workspace.member.id,
    company_id: company.id,
  });
  await browser.delete(`/offers/${id}`);
  const { body } = await browser.get(`/offers/${id}/history`);
  const before = await world.query('select name from companies where id = $1', [company_id]);
  const person = { kind: 'user', name: 'Ola Nordmann', person: workspace.owner.id };
  expect(body.has_more).toBe(false);
  expect(body.data).toMatchObject([
    { action: 'deleted', actor: person },
    {
      action: 'updated',
      fields: expect.arrayContaining(['status', 'user_id', 'company_id']),
      values: {
        status: ['new', 'sent'],
        user_id: ['Ola Nordmann', 'Kari Nordmann'],
        company_id: [before[0].name, company.name],
      },
      actor: person,
    },
    { action: 'created', actor: { kind: 'key', name: 'test', person: null } },
  ]);
});

test('the history of an offer names the command that made it', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await workspace.offer();
  await world.query(`update changes set actor_kind = 'command', actor_id = 'demo' where resource_id = $1`, [
    id,
  ]);
  const { body } = await browser.get(`/offers/${id}/history`);
  expect(body.data).toMatchObject([{ actor: { kind: 'command', name: 'demo', person: null } }]);
});

test('the history of an offer names a person without a last name as lists do', async () => {
  const workspace = await world.workspace();
  const ola = await workspace.addMember({ first_name: 'Ola', last_name: '' });
  const { id } = await workspace.offer();
  await (await workspace.signIn(ola)).patch(`/offers/${id}`, { user_id: ola.id });
  const { body } = await (await workspace.signIn()).get(`/offers/${id}/history`);
  expect(body.data[0]).toMatchObject({
    actor: { name: 'Ola' },
    values: { user_id: ['Ola Nordmann', 'Ola'] },
  });
});
