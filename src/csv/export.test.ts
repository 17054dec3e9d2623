import { connect } from 'node:net';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { holdTable } from '../../test/locks.ts';
import { hasCaughtUp } from '../../test/raw.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

type Row = Record<string, string>;

/** The rows of a file by the names in its header, read as a program would. */
async function rowsOf(workspace: Workspace, path: string): Promise<Row[]> {
  const browser = await workspace.signIn();
  const { status, text, headers } = await browser.get(path);
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(text.startsWith('\uFEFF')).toBe(true);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="\w+\.csv"$/);
  // Excel ends a row at any line break outside of quotes.
  expect(text.replaceAll(/"(?:[^"]|"")*"/g, '').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  return Papa.parse<Row>(text.slice(1), {
    header: true,
    delimiter: ';',
    newline: '\r\n',
    skipEmptyLines: true,
  }).data;
}

test('companies: a header in the language asked for, names beside ids, every row that passes the filters', async () => {
  const workspace = await world.workspace();
  const { owner } = workspace;
  const company = await workspace.company({ status: 'customer', assigned_to: owner.id });
  await workspace.company({ status: 'lead' });

  const [row, ...more] = await rowsOf(workspace, '/companies.csv?status=customer');
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    Organisasjonsnummer: company.orgnr,
    Navn: company.name,
    Status: 'Kunde',
    Ansvarlig: 'Ola Nordmann',
    'Ansvarlig-ID': owner.id,
    Registrert: company.registered_at,
    Arkivert: 'Nei',
  });
  const [english] = await rowsOf(workspace, '/companies.csv?status=customer&language=en');
  expect(english).toMatchObject({ 'Organisation number': company.orgnr, Status: 'Customer' });
});

test('contacts, tasks and offers: details, dates in the zone of the workspace, amounts without spaces', async () => {
  const workspace = await world.workspace();
  const company = await workspace.company();
  const contact = await workspace.contact({ name: 'Kari "K" Åsen; Ås', notes: 'a\nb' });
  const points = [
    { type: 'email', value: 'kari@example.no' },
    { type: 'email', value: 'k@example.no' },
    { type: 'other', label: 'Skype', value: 'kari.n' },
  ];
  for (const point of points) await workspace.client.post(`/contacts/${contact.id}/points`, point);
  await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: company.id, role: 'Leder' });
  await workspace.task({ related_company_id: company.id, due_date: '2026-07-01T22:30:00Z' });
  await workspace.task({ title: 'Dag', due_date: '2026-01-15T11:00:00Z', has_time_specified: false });
  await workspace.offer({ company_id: company.id, one_time_revenue: 9_007_199_254_740_991 });

  expect(await rowsOf(workspace, '/contacts.csv')).toMatchObject([
    {
      Navn: 'Kari "K" Åsen; Ås',
      'E-post': 'kari@example.no\nk@example.no',
      Annet: 'Skype: kari.n',
      Organisasjonsnummer: company.orgnr,
      Selskap: company.name,
      Rolle: 'Leder',
      Notater: 'a\nb',
    },
  ]);
  expect(await rowsOf(workspace, '/tasks.csv')).toMatchObject([
    { Frist: '2026-07-02 00:30', Organisasjonsnummer: company.orgnr, Ansvarlig: 'Ola Nordmann' },
    { Frist: '2026-01-15', Fullført: 'Nei' },
  ]);
  expect(await rowsOf(workspace, '/offers.csv')).toMatchObject([
    { Engangsbeløp: '9007199254740991', Hyppighet: 'Månedlig', Selskap: company.name, Eier: 'Ola Nordmann' },
  ]);
});

test.each(['=1+1', '+47 900', '-1', '@SUM(A1)', '\t=x', '\r=x', "'=already"])(
  'a cell that begins like a formula gets an apostrophe: %j',
  async (name) => {
    const workspace = await world.workspace();
    await workspace.contact({ name });
    expect(await rowsOf(workspace, '/contacts.csv')).toMatchObject([{ Navn: `'${name}` }]);
  },
);

test('a file holds every page of its list once, in the order asked for', async () => {
  const workspace = await world.workspace();
  await world.query(
    `insert into contacts (tenant_id, id, name, notes)
     select $1, gen_random_uuid(), 'Person ' || lpad(n::text, 4, '0'), '' from generate_series(1, 350) as n`,
    [workspace.id],
  );
  const names = (await rowsOf(workspace, '/contacts.csv?sort=name')).map((row) => row['Navn']);
  expect(names).toEqual(
    Array.from({ length: 350 }, (_, index) => `Person ${String(index + 1).padStart(4, '0')}`),
  );
});

test('a file of offers is in the order of the list, with each sort that is asked for', async () => {
  const workspace = await world.workspace();
  const company = await workspace.company();
  for (const [title, days] of [
    ['Andre', 2],
    ['Første', 1],
    ['Tredje', 3],
  ]) {
    const { id } = await workspace.offer({ title, company_id: company.id });
    await world.query("update offers set status_since = now() - $2 * interval '1 day' where id = $1", [
      id,
      days,
    ]);
  }
  const browser = await workspace.signIn();
  for (const sort of ['-updated_at', 'updated_at', 'status_since', '-status_since']) {
    const query = `?sort=${sort}`;
    const { body } = await browser.get(`/offers/cards${query}`);
    const shown = body.data.map(({ title }: { title: string }) => title);
    const rows = await rowsOf(workspace, `/offers.csv${query}`);
    expect([query, rows.map((row) => row['Tittel'])]).toEqual([query, shown]);
  }
  // Without a sort it is in order of id, so that no change can move a row to a page that was read already.
  const rows = await rowsOf(workspace, '/offers.csv');
  expect(rows.map((row) => row['Tittel'])).toEqual(['Andre', 'Første', 'Tredje']);
});

test('a wrong filter is refused before there is a file, and HEAD sends none', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { status, body } = await browser.get('/offers.csv?status=lost');
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect((await browser.get('/companies.csv?limit=10')).status).toBe(400);
  const head = await browser.send({ method: 'HEAD', path: '/companies.csv' });
  expect([head.status, head.text]).toEqual([200, '']);
});

test('a file shows nothing of another workspace', async () => {
  const [own, theirs] = [await world.workspace(), await world.workspace()];
  await theirs.company();
  await theirs.contact();
  for (const path of ['/companies.csv', '/contacts.csv', '/tasks.csv', '/offers.csv']) {
    expect(await rowsOf(own, path)).toEqual([]);
  }
});

test('one person downloads two files at once; a third is refused until one has ended, others go on', async () => {
  const workspace = await world.workspace();
  await world.query(
    `insert into contacts (tenant_id, id, name, notes)
     select $1, gen_random_uuid(), 'Person', repeat('lang ', 4000) from generate_series(1, 2000) as n`,
    [workspace.id],
  );
  const downloadAs = async (person = workspace.owner, method = 'GET') => {
    const cookie = `kundebok_session=${await workspace.sessionOf(person)}`;
    return fetch(`${world.origin}/app/api/contacts.csv`, { method, headers: { cookie } });
  };
  // Nobody reads these: they go on for as long as their connection does.
  const [first, second] = [await downloadAs(), await downloadAs()];
  expect([first.status, second.status]).toEqual([200, 200]);
  const third = await downloadAs();
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10']);
  expect(await third.json()).toMatchObject({ code: 'rate_limited' });
  // HEAD is no download, but is refused like one.
  const { status, headers } = await downloadAs(workspace.owner, 'HEAD');
  // By these headers the pages tell this refusal from one by a proxy and from the rate limit.
  expect([status, headers.has('x-request-id'), headers.get('ratelimit')]).toEqual([429, true, null]);
  expect((await downloadAs(workspace.member, 'HEAD')).status).toBe(200);
  const others = await downloadAs(workspace.member);
  expect(others.status).toBe(200);
  for (const { body } of [first, others]) await body?.cancel();
  await expect
    .poll(async () => {
      const { status, body } = await downloadAs();
      await body?.cancel();
      return status;
    })
    .toBe(200);
  await second.body?.cancel();
});

test('files whose readers have gone before the file begins do not count', async () => {
  const workspace = await world.workspace();
  const cookie = `kundebok_session=${await workspace.sessionOf(workspace.owner)}`;
  const path = '/app/api/contacts.csv';
  const download = async () => (await fetch(world.origin + path, { headers: { cookie } })).status;
  expect(await download()).toBe(200);
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const sockets = Array.from({ length: 2 }, () => connect(world.port, '127.0.0.1'));
  for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nCookie: ${cookie}\r\n\r\n`);
  await lock.awaited(2);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  await lock.commit();
  for (let count = 0; count < 3; count++) expect(await download()).toBe(200);
});
