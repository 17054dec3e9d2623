import { describe, expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

const nobody = '00000000-0000-0000-0000-000000000000';

/** A company in which every field that the API can clear or set has a value. */
async function filledCompany(workspace: Workspace) {
  return workspace.company({
    orgnr: freshOrgnr(),
    status: 'customer',
    assigned_to: workspace.member.id,
    email_address: 'post@example.no',
    phone_number: '1',
    mobile_number: '2',
    website_url: 'example.no',
  });
}

describe('reading a company by number', () => {
  test('shows the company of the workspace', async () => {
    const workspace = await world.workspace();
    const company = await filledCompany(workspace);
    const { status, body } = await workspace.client.get(`/companies/${company.orgnr}`);
    expect([status, body]).toEqual([200, { data: company }]);
  });

  test('does not search the register', async () => {
    const { client } = await world.workspace();
    expect((await client.get('/companies/923609016')).status).toBe(404);
  });

  test('hides a deleted company and shows an archived one', async () => {
    const workspace = await world.workspace();
    const [gone, kept] = [await workspace.company(), await workspace.company()];
    await workspace.deleteCompany(gone.orgnr);
    await workspace.archiveCompany(kept.orgnr);
    expect((await workspace.client.get(`/companies/${gone.orgnr}`)).body.code).toBe('not_found');
    const { body } = await workspace.client.get(`/companies/${kept.orgnr}`);
    expect(body.data).toEqual({ ...kept, is_archived: true });
  });
});

describe('changing a company', () => {
  test.each(['status', 'assigned_to', 'email_address', 'phone_number', 'mobile_number', 'website_url'])(
    '%s by itself leaves everything else as it was',
    async (field) => {
      const workspace = await world.workspace();
      const company = await filledCompany(workspace);
      const values: Record<string, string> = {
        status: 'disqualified',
        assigned_to: workspace.owner.id,
        email_address: 'ny@example.no',
      };
      const value = values[field] ?? 'ny';
      const path = `/companies/${company.orgnr}`;
      const { status, body } = await workspace.client.patch(path, { [field]: value });
      expect([status, body]).toEqual([200, { data: { ...company, [field]: value } }]);
      expect((await workspace.client.get(path)).body).toEqual(body);
    },
  );

  test.each(['assigned_to', 'email_address', 'phone_number', 'mobile_number', 'website_url'])(
    'null clears %s and nothing else',
    async (field) => {
      const workspace = await world.workspace();
      const company = await filledCompany(workspace);
      const { status, body } = await workspace.client.patch(`/companies/${company.orgnr}`, { [field]: null });
      expect([status, body.data]).toEqual([200, { ...company, [field]: null }]);
    },
  );

  test('the empty object changes nothing, not even the time of the last change', async () => {
    const workspace = await world.workspace();
    const company = await filledCompany(workspace);
    const changed = () =>
      world.query('select updated_at::text, kept_fields from companies where id = $1', [company.id]);
    const before = await changed();
    const { status, body } = await workspace.client.patch(`/companies/${company.orgnr}`, {});
    expect([status, body.data]).toEqual([200, company]);
    expect(await changed()).toEqual(before);
  });

  test('every move between two statuses is allowed', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const statuses = ['lead', 'prospect', 'customer', 'former_customer', 'disqualified'];
    for (const from of statuses) {
      for (const to of statuses) {
        await workspace.client.patch(`/companies/${orgnr}`, { status: from });
        const { status, body } = await workspace.client.patch(`/companies/${orgnr}`, { status: to });
        expect([from, to, status, body.data.status]).toEqual([from, to, 200, to]);
      }
    }
  });

  test('a contact field that was changed is recorded, once, so that the register does not change it', async () => {
    const workspace = await world.workspace();
    const { orgnr, id } = await workspace.company({ orgnr: '333333333' });
    await workspace.client.patch(`/companies/${orgnr}`, { phone_number: '1', status: 'lead' });
    await workspace.client.patch(`/companies/${orgnr}`, { phone_number: null, mobile_number: '2' });
    const [row] = await world.query('select kept_fields from companies where id = $1', [id]);
    expect(row.kept_fields.toSorted()).toEqual(['mobile_number', 'phone_number']);
  });

  test('with an If-Match that does not match records no field as set by the caller', async () => {
    const { client, company } = await world.workspace();
    const { id, orgnr } = await company();
    const { status } = await client.send({
      method: 'PATCH',
      path: `/companies/${orgnr}`,
      headers: { 'content-type': 'application/json', 'if-match': '"stale"' },
      body: JSON.stringify({ phone_number: '1', website_url: null }),
    });
    expect(status).toBe(412);
    expect(await world.query('select kept_fields from companies where id = $1', [id])).toEqual([
      { kept_fields: [] },
    ]);
  });

  test('is 404 for a company that is missing or deleted, whatever the body', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.deleteCompany(orgnr);
    for (const number of [orgnr, '923609016']) {
      for (const body of [
        {},
        { status: 'lead' },
        { assigned_to: workspace.member.id },
        { assigned_to: nobody },
      ]) {
        const answer = await workspace.client.patch(`/companies/${number}`, body);
        expect([number, answer.status, answer.body.code]).toEqual([number, 404, 'not_found']);
      }
    }
    const [row] = await world.query('select status from companies where tenant_id = $1 and orgnr = $2', [
      workspace.id,
      orgnr,
    ]);
    expect(row.status).toBe('prospect');
  });

  test('is refused for an assignment to somebody outside the workspace, and changes nothing', async () => {
    const workspace = await world.workspace();
    const company = await filledCompany(workspace);
    await workspace.removeMember(workspace.member);
    for (const assigned_to of [nobody, workspace.member.id]) {
      const path = `/companies/${company.orgnr}`;
      const answer = await workspace.client.patch(path, { assigned_to, status: 'lead' });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_reference']);
      expect(answer.body.details).toEqual([{ field: 'assigned_to', message: expect.any(String) }]);
      expect((await workspace.client.get(path)).body.data).toEqual(company);
    }
  });

  test('keeps the assignment to a member who was removed', async () => {
    const workspace = await world.workspace();
    const company = await filledCompany(workspace);
    await workspace.removeMember(workspace.member);
    const { body } = await workspace.client.patch(`/companies/${company.orgnr}`, { status: 'lead' });
    expect(body.data.assigned_to).toBe(workspace.member.id);
  });

  test('works on an archived company, which stays archived', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.archiveCompany(orgnr);
    const { status, body } = await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    expect([status, body.data.is_archived, body.data.status]).toEqual([200, true, 'customer']);
  });
});

describe('listing companies', () => {
  test.each([1, 7, 25, 100])('pages of %i show every company once, in order of id', async (limit) => {
    const workspace = await world.workspace();
    const made: { id: string }[] = [];
    for (let count = 0; count < 28; count++) made.push(await workspace.company());
    const seen: { id: string }[] = [];
    for (let offset = 0, more = true; more; offset += limit) {
      const { body } = await workspace.client.get(`/companies?limit=${limit}&offset=${offset}`);
      expect(body.page).toEqual({ size: limit, offset, has_more: offset + limit < 28 });
      seen.push(...body.data);
      more = body.page.has_more;
    }
    expect(seen).toEqual(made.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  });

  test('shows them in the order in which they were created, however fast that was', async () => {
    const workspace = await world.workspace();
    const made: { id: string }[] = [];
    for (let count = 0; count < 300; count++) made.push(await workspace.company());
    const ids = made.map(({ id }) => id);
    expect(ids.filter((id, index) => index > 0 && id < ids[index - 1]!)).toEqual([]);
  });

  test('has no more when the last page is exactly full', async () => {
    const workspace = await world.workspace();
    for (let count = 0; count < 4; count++) await workspace.company();
    const page = async (query: string) => (await workspace.client.get(`/companies?${query}`)).body;
    expect((await page('limit=3')).page.has_more).toBe(true);
    expect((await page('limit=4')).page.has_more).toBe(false);
    expect((await page('limit=2&offset=2')).page.has_more).toBe(false);
    expect(await page('limit=2&offset=4')).toEqual({
      data: [],
      page: { size: 2, offset: 4, has_more: false },
    });
    expect(await page('offset=10000')).toEqual({
      data: [],
      page: { size: 25, offset: 10_000, has_more: false },
    });
  });

  test('leaves deleted companies out and archived ones in, and counts pages without the deleted', async () => {
    const workspace = await world.workspace();
    const made = [];
    for (let count = 0; count < 6; count++) made.push(await workspace.company());
    made.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const index of [0, 2, 5]) await workspace.deleteCompany(made[index].orgnr);
    await workspace.archiveCompany(made[3].orgnr);
    const { body } = await workspace.client.get('/companies?limit=3');
    expect(body.data).toEqual([made[1], { ...made[3], is_archived: true }, made[4]]);
    expect(body.page.has_more).toBe(false);
  });

  test('shows a restored company whole', async () => {
    const workspace = await world.workspace();
    const company = await filledCompany(workspace);
    await workspace.deleteCompany(company.orgnr);
    await world.query('update companies set is_deleted = false where id = $1', [company.id]);
    expect((await workspace.client.get('/companies')).body.data).toEqual([company]);
  });
});

describe('notes', () => {
  test('a note is added to the company and attributed to the creator of the key', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const before = Date.now();
    const path = `/companies/${company.orgnr}/notes`;
    const { status, body } = await workspace.client.post(path, { text: '  Hei\n<b>du</b> 👋' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(Number),
      company_id: company.id,
      type: 'add_comment',
      content: { text: '  Hei\n<b>du</b> 👋' },
      user_id: workspace.owner.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Math.abs(Date.parse(body.data.created_at) - before)).toBeLessThan(60_000);
  });

  test('every request adds a note, also when its text is the same', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const ids = [];
    for (let count = 0; count < 3; count++) {
      ids.push((await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Hei' })).body.data.id);
    }
    expect(new Set(ids).size).toBe(3);
    const rows = await world.query(
      "select id::int, content, type from timeline_entries where tenant_id = $1 and type = 'add_comment' order by id",
      [workspace.id],
    );
    expect(rows).toEqual(ids.map((id) => ({ id, content: { text: 'Hei' }, type: 'add_comment' })));
  });

  test('a missing or deleted company is 404 and gets no note; an archived one gets one', async () => {
    const workspace = await world.workspace();
    const [gone, kept] = [await workspace.company(), await workspace.company()];
    await workspace.deleteCompany(gone.orgnr);
    await workspace.archiveCompany(kept.orgnr);
    for (const [orgnr, expected] of [
      [gone.orgnr, 404],
      ['923609016', 404],
      [kept.orgnr, 201],
    ]) {
      const { status } = await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
      expect([orgnr, status]).toEqual([orgnr, expected]);
    }
    expect(
      await world.query("select 1 from timeline_entries where tenant_id = $1 and type = 'add_comment'", [
        workspace.id,
      ]),
    ).toHaveLength(1);
  });
});
