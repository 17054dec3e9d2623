import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

const nobody = '00000000-0000-0000-0000-000000000000';
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function filledTask(workspace: Workspace, fields = {}) {
  return workspace.task({
    title: 'Ring',
    description: 'Spør om avtalen',
    due_date: '2026-01-15T10:00:00+01:00',
    has_time_specified: false,
    user_id: workspace.owner.id,
    related_company_id: (await workspace.company()).id,
    ...fields,
  });
}

describe('creating a task', () => {
  test('fills in what was not given', async () => {
    const { client, owner } = await world.workspace();
    const { status, body } = await client.post('/tasks', {
      user_id: owner.id,
      title: 'Ring',
      due_date: '2026-01-15T10:00:00+01:00',
    });
    expect(status).toBe(201);
    const { id, created_at } = body.data;
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{13}-7/),
        title: 'Ring',
        description: null,
        due_date: '2026-01-15T09:00:00.000Z',
        has_time_specified: true,
        user_id: owner.id,
        related_company_id: null,
        completed: false,
        created_at: expect.stringMatching(UTC),
        // The same instant, without the Z.
        updated_at: created_at.slice(0, -1),
      },
    });
    expect((await client.get(`/tasks/${id}`)).body).toEqual(body);
  });

  test('accepts null for description and company', async () => {
    const workspace = await world.workspace();
    const task = await workspace.task({ description: null, related_company_id: null });
    expect(task).toMatchObject({ description: null, related_company_id: null });
  });

  test('an id that was used is 409, and the first body is kept', async () => {
    const workspace = await world.workspace();
    const id = randomUUID();
    const first = await workspace.task({ id, title: 'første' });
    expect(first.id).toBe(id);
    const body = { id, title: 'andre', due_date: '2027-01-01T00:00:00Z', user_id: workspace.member.id };
    const again = await workspace.client.post('/tasks', body);
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect((await workspace.client.get(`/tasks/${id}`)).body.data).toEqual(first);
  });

  test('a repeat is 409 even when what it names has gone in the meantime', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const id = randomUUID();
    const fields = { id, related_company_id: company.id, user_id: workspace.member.id };
    await workspace.task(fields);
    await workspace.deleteCompany(company.orgnr);
    await workspace.removeMember(workspace.member);
    const again = await workspace.client.post('/tasks', {
      title: 'Ring',
      due_date: '2026-01-15T09:00Z',
      ...fields,
    });
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
  });

  test('an id may be that of a contact or an offer', async () => {
    const workspace = await world.workspace();
    const id = randomUUID();
    await workspace.contact({ id });
    await workspace.offer({ id });
    expect((await workspace.task({ id })).id).toBe(id);
  });

  test('names at once the user and the company that are not in the workspace', async () => {
    const workspace = await world.workspace();
    const gone = await workspace.company();
    await workspace.deleteCompany(gone.orgnr);
    await workspace.removeMember(workspace.member);
    const { id: member } = workspace.member;
    for (const [user_id, related_company_id] of [
      [nobody, nobody],
      [member, gone.id],
    ]) {
      const body = { title: 'Ring', due_date: '2026-01-15T09:00Z', user_id, related_company_id };
      const answer = await workspace.client.post('/tasks', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_reference']);
      expect(answer.body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual([
        'related_company_id',
        'user_id',
      ]);
    }
  });

  test('may name an archived company', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    await workspace.archiveCompany(company.orgnr);
    expect((await workspace.task({ related_company_id: company.id })).related_company_id).toBe(company.id);
  });
});

describe('changing a task', () => {
  test.each([
    ['title', { title: 'Nytt' }],
    ['description', { description: 'Nytt' }],
    ['description, cleared', { description: null }],
    ['description, made empty', { description: '' }],
    ['has_time_specified', { has_time_specified: true }],
    ['related_company_id, detached', { related_company_id: null }],
    ['completed', { completed: true }],
    ['due_date', { due_date: '2030-06-01T00:00:00.000Z' }],
  ])('%s by itself leaves everything else as it was', async (_, change) => {
    const workspace = await world.workspace();
    const before = await filledTask(workspace);
    const { status, body } = await workspace.client.patch(`/tasks/${before.id}`, change);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, ...change, updated_at: body.data.updated_at });
    expect((await workspace.client.get(`/tasks/${before.id}`)).body).toEqual(body);
  });

  test('user and company may be exchanged for others of the workspace', async () => {
    const workspace = await world.workspace();
    const before = await filledTask(workspace);
    const change = { user_id: workspace.member.id, related_company_id: (await workspace.company()).id };
    const { body } = await workspace.client.patch(`/tasks/${before.id}`, change);
    expect(body.data).toEqual({ ...before, ...change, updated_at: body.data.updated_at });
  });

  test('completed may be set back to false', async () => {
    const workspace = await world.workspace();
    const { id } = await filledTask(workspace);
    for (const completed of [true, true, false, false, true]) {
      const { status, body } = await workspace.client.patch(`/tasks/${id}`, { completed });
      expect([status, body.data.completed]).toEqual([200, completed]);
    }
  });

  test('the time of the last change moves on with a change, and not with equal values or the empty object', async () => {
    const workspace = await world.workspace();
    const { id, title } = await filledTask(workspace);
    await world.query("update tasks set updated_at = '2020-01-01T00:00:00Z' where id = $1", [id]);
    for (const same of [{}, { title }]) {
      const unchanged = await workspace.client.patch(`/tasks/${id}`, same);
      expect([unchanged.status, unchanged.body.data.updated_at]).toEqual([200, '2020-01-01T00:00:00.000']);
    }
    const changed = await workspace.client.patch(`/tasks/${id}`, { title: 'Ring på nytt' });
    expect(Date.parse(`${changed.body.data.updated_at}Z`)).toBeGreaterThan(
      Date.parse('2026-01-01T00:00:00Z'),
    );
  });

  test('a task whose user and company have gone can still be changed, and keeps both', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const task = await workspace.task({ user_id: workspace.member.id, related_company_id: company.id });
    await workspace.deleteCompany(company.orgnr);
    await workspace.removeMember(workspace.member);
    expect((await workspace.client.get(`/tasks/${task.id}`)).body.data).toEqual(task);
    const { status, body } = await workspace.client.patch(`/tasks/${task.id}`, { completed: true });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...task, completed: true, updated_at: body.data.updated_at });
  });

  test('is refused for what is not in the workspace, and changes nothing', async () => {
    const workspace = await world.workspace();
    const before = await filledTask(workspace);
    const body = { title: 'Nytt', user_id: nobody, related_company_id: nobody };
    const answer = await workspace.client.patch(`/tasks/${before.id}`, body);
    expect([answer.status, answer.body.code, answer.body.details.length]).toEqual([
      400,
      'invalid_reference',
      2,
    ]);
    expect((await workspace.client.get(`/tasks/${before.id}`)).body.data).toEqual(before);
  });

  test('is 404 for one that is not there, whatever the body', async () => {
    const workspace = await world.workspace();
    for (const body of [{}, { title: 'x' }, { user_id: workspace.owner.id }, { user_id: nobody }]) {
      const { status } = await workspace.client.patch(`/tasks/${nobody}`, body);
      expect([body, status]).toEqual([body, 404]);
    }
  });

  test('its id cannot be changed', async () => {
    const workspace = await world.workspace();
    const { id } = await filledTask(workspace);
    const { status, body } = await workspace.client.patch(`/tasks/${id}`, { id: randomUUID() });
    expect([status, body.details?.[0].field]).toEqual([400, 'id']);
  });
});
