import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

const nobody = '00000000-0000-0000-0000-000000000000';
const STATUSES = ['new', 'sent', 'negotiating', 'accepted', 'rejected'];
const OTHERS = STATUSES.filter((status) => status !== 'accepted');

const filled = {
  title: 'Avtale',
  description: 'Tre år',
  status: 'sent',
  one_time_revenue: 50_000,
  recurring_revenue: 1_500,
  recurring_frequency: 'yearly',
  weight: 70,
};

async function patched(workspace: Workspace, id: string, change: object) {
  const { status, body } = await workspace.client.patch(`/offers/${id}`, change);
  expect(status).toBe(200);
  expect((await workspace.client.get(`/offers/${id}`)).body).toEqual(body);
  return body.data;
}

describe('creating an offer', () => {
  test('fills in what was not given', async () => {
    const { client, owner, company } = await world.workspace();
    const company_id = (await company()).id;
    const { status, body } = await client.post('/offers', { user_id: owner.id, title: 'Avtale', company_id });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{13}-7/),
        title: 'Avtale',
        description: null,
        company_id,
        user_id: owner.id,
        status: 'new',
        one_time_revenue: 0,
        recurring_revenue: 0,
        recurring_frequency: 'monthly',
        weight: 50,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect((await client.get(`/offers/${body.data.id}`)).body).toEqual(body);
  });

  test.each([0, 1, 99, 100])('keeps a weight of %i while it is not accepted', async (weight) => {
    const workspace = await world.workspace();
    for (const status of OTHERS) expect((await workspace.offer({ status, weight })).weight).toBe(weight);
  });

  test.each([undefined, 0, 99, 100])('has weight 100 when accepted, with %s supplied', async (weight) => {
    const workspace = await world.workspace();
    expect(await workspace.offer({ status: 'accepted', weight })).toMatchObject({
      status: 'accepted',
      weight: 100,
    });
  });

  test('an id that was used is 409, and the first body is kept', async () => {
    const workspace = await world.workspace();
    const first = await workspace.offer({ ...filled, id: randomUUID() });
    const { id, company_id } = first;
    const again = await workspace.client.post('/offers', {
      id,
      company_id,
      user_id: workspace.member.id,
      title: 'x',
    });
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect((await workspace.client.get(`/offers/${id}`)).body.data).toEqual(first);
  });

  test('a repeat is 409 even when the company was deleted in the meantime', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const fields = { id: randomUUID(), company_id: company.id, user_id: workspace.owner.id, title: 'Avtale' };
    await workspace.offer(fields);
    await workspace.deleteCompany(company.orgnr);
    expect((await workspace.client.post('/offers', fields)).status).toBe(409);
  });

  test('names at once the user and the company that are not in the workspace', async () => {
    const workspace = await world.workspace();
    const gone = await workspace.company();
    await workspace.deleteCompany(gone.orgnr);
    await workspace.removeMember(workspace.member);
    for (const [user_id, company_id] of [
      [nobody, nobody],
      [workspace.member.id, gone.id],
    ]) {
      const { status, body } = await workspace.client.post('/offers', {
        title: 'Avtale',
        user_id,
        company_id,
      });
      expect([status, body.code]).toEqual([400, 'invalid_reference']);
      const fields = body.details.map(({ field }: { field: string }) => field).toSorted();
      expect(fields).toEqual(['company_id', 'user_id']);
    }
  });

  test('adds nothing to the timeline, and neither does changing it', async () => {
    const workspace = await world.workspace();
    const entries = () =>
      world.query('select type from timeline_entries where tenant_id = $1 order by id', [workspace.id]);
    const company_id = (await workspace.company()).id;
    const before = await entries();
    const { id } = await workspace.offer({ ...filled, company_id });
    await patched(workspace, id, { status: 'accepted' });
    expect(await entries()).toEqual(before);
  });
});

describe('changing an offer', () => {
  test.each([
    ['title', { title: 'Ny' }],
    ['description', { description: 'Ny' }],
    ['description, cleared', { description: null }],
    ['status', { status: 'negotiating' }],
    ['one_time_revenue', { one_time_revenue: Number.MAX_SAFE_INTEGER }],
    ['recurring_revenue', { recurring_revenue: 0 }],
    ['recurring_frequency', { recurring_frequency: 'quarterly' }],
    ['weight', { weight: 1 }],
    ['nothing', {}],
  ])('%s by itself leaves everything else as it was', async (_, change) => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    expect(await patched(workspace, before.id, change)).toEqual({ ...before, ...change });
  });

  test('owner and company may be exchanged for others of the workspace', async () => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    const change = { user_id: workspace.member.id, company_id: (await workspace.company()).id };
    expect(await patched(workspace, before.id, change)).toEqual({ ...before, ...change });
  });

  test('the empty object does not touch the time of the last change', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer(filled);
    const changed = () => world.query('select updated_at::text from offers where id = $1', [id]);
    const before = await changed();
    await patched(workspace, id, {});
    expect(await changed()).toEqual(before);
  });

  test('every move between two statuses is allowed', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    for (const from of STATUSES) {
      for (const to of STATUSES) {
        await patched(workspace, id, { status: from });
        expect((await patched(workspace, id, { status: to })).status).toBe(to);
      }
    }
  });

  test('is refused for what is not in the workspace, and changes nothing', async () => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    const change = { status: 'accepted', user_id: nobody, company_id: nobody };
    const { status, body } = await workspace.client.patch(`/offers/${before.id}`, change);
    expect([status, body.code, body.details.length]).toEqual([400, 'invalid_reference', 2]);
    expect((await workspace.client.get(`/offers/${before.id}`)).body.data).toEqual(before);
  });

  test('is 404 for one that is not there, whatever the body', async () => {
    const workspace = await world.workspace();
    for (const body of [{}, { title: 'x' }, { status: 'sent' }, { weight: 1 }, { user_id: nobody }]) {
      const { status } = await workspace.client.patch(`/offers/${nobody}`, body);
      expect([body, status]).toEqual([body, 404]);
    }
  });

  test('an offer of a deleted company stays readable and changeable', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const offer = await workspace.offer({ ...filled, company_id: company.id });
    await workspace.deleteCompany(company.orgnr);
    expect((await workspace.client.get(`/offers/${offer.id}`)).body.data).toEqual(offer);
    expect(await patched(workspace, offer.id, { status: 'rejected' })).toEqual({
      ...offer,
      status: 'rejected',
    });
  });
});

describe('the weight of an accepted offer', () => {
  test.each([undefined, 0, 99, 100])('is 100 after it was accepted with %s supplied', async (weight) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer(filled);
    expect(await patched(workspace, id, { status: 'accepted', weight })).toMatchObject({ weight: 100 });
  });

  test('stays 100 when another is supplied later, by itself or together with the status', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ status: 'accepted' });
    for (const change of [{ weight: 10 }, { weight: 10, title: 'Ny' }, { weight: 10, status: 'accepted' }]) {
      expect(await patched(workspace, id, change)).toMatchObject({ status: 'accepted', weight: 100 });
    }
  });

  test.each(OTHERS)('stays 100 when the offer becomes %s with none supplied', async (status) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ status: 'accepted' });
    expect(await patched(workspace, id, { status })).toMatchObject({ status, weight: 100 });
  });

  test.each(OTHERS)('becomes what is supplied when the offer becomes %s', async (status) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ status: 'accepted' });
    expect(await patched(workspace, id, { status, weight: 5 })).toMatchObject({ status, weight: 5 });
  });
});

/** Sends a change. Another statement commits after the change has read the offer and before it writes it. */
async function overtaken(workspace: Workspace, id: string, change: object, set: string) {
  const row = await holdRow(world.databaseUrl, `update offers set ${set} where id = $1`, [id]);
  const answer = workspace.client.patch(`/offers/${id}`, change);
  await row.awaited();
  await row.commit();
  return answer;
}

describe('while another request changes the offer', () => {
  test('a status that changed in between is 409, and nothing of the request is done', async () => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    const change = { status: 'accepted', title: 'Ny', weight: 3 };
    const { status, body } = await overtaken(workspace, before.id, change, "status = 'rejected'");
    expect([status, body.code]).toEqual([409, 'status_conflict']);
    const now = (await workspace.client.get(`/offers/${before.id}`)).body.data;
    expect(now).toEqual({ ...before, status: 'rejected' });
    expect((await patched(workspace, before.id, change)).weight).toBe(100);
  });

  test('a change of status is 409 although both requests set the same status', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer(filled);
    const { status } = await overtaken(workspace, id, { status: 'rejected' }, "status = 'rejected'");
    expect(status).toBe(409);
  });

  test('a change of other fields goes through and undoes nothing', async () => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    const { status, body } = await overtaken(workspace, before.id, { title: 'Ny' }, "status = 'rejected'");
    expect([status, body.data]).toEqual([200, { ...before, title: 'Ny', status: 'rejected' }]);
  });

  test('a change of status goes through when only other fields changed in between', async () => {
    const workspace = await world.workspace();
    const before = await workspace.offer(filled);
    const { status, body } = await overtaken(
      workspace,
      before.id,
      { status: 'new' },
      "title = 'Ny', weight = 1",
    );
    expect([status, body.data]).toEqual([200, { ...before, title: 'Ny', weight: 1, status: 'new' }]);
  });

  test('a weight that arrives while the offer is being accepted is ignored', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer(filled);
    const set = "status = 'accepted', weight = 100";
    const { status, body } = await overtaken(workspace, id, { weight: 5 }, set);
    expect([status, body.data.status, body.data.weight]).toEqual([200, 'accepted', 100]);
  });
});
