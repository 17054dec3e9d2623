import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { check, importFile, numbered, parseFile } from '../../test/import-file.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

const outcomes = (rows: { outcome: string }[]) => rows.map(({ outcome }) => outcome);
const codes = (rows: { reasons: { code: string }[] }[]) =>
  rows.map(({ reasons }) => reasons.map(({ code }) => code).join());

const backwards = (file: string[][]) => [file[0]!, ...file.slice(1).toReversed()];

describe('contacts', () => {
  test('are created with details and links, and the same file again changes nothing', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const company = await workspace.company();
    const file = [
      ['Navn', 'E-post', 'Mobil', 'Orgnr', 'Stilling', 'Ukjent'],
      ['Kari Nordmann', 'Kari@example.no', "'+47 900 00 000", company.orgnr, 'Leder', 'x'],
      ['Ola Nordmann', 'ola@example.no', '', `NO ${company.orgnr} MVA`, '', ''],
    ];
    const expected = await check(browser, 'contact', file);
    expect(outcomes(expected)).toEqual(['created', 'created']);
    expect((await workspace.client.get('/contacts')).body.data).toEqual([]);

    const { rows, ...counts } = await importFile(browser, 'contact', file);
    expect(outcomes(rows)).toEqual(['created', 'created']);
    expect(counts).toMatchObject({ created_count: 2, refused_count: 0, can_undo: true });
    const { data } = (await workspace.client.get('/contacts?include=points,links')).body;
    expect(data.find(({ name }: { name: string }) => name === 'Kari Nordmann')).toMatchObject({
      points: [
        { type: 'email', value: 'Kari@example.no' },
        { type: 'mobile', value: '+47 900 00 000' },
      ],
      links: [{ company_id: company.id, role: 'Leder' }],
    });

    const etags = await world.query('select id, version from contacts where tenant_id = $1', [workspace.id]);
    expect(outcomes(await check(browser, 'contact', file))).toEqual(['unchanged', 'unchanged']);
    expect(outcomes((await importFile(browser, 'contact', file)).rows)).toEqual(['unchanged', 'unchanged']);
    expect(
      await world.query('select id, version from contacts where tenant_id = $1', [workspace.id]),
    ).toEqual(etags);
  });

  test('are matched by address; the fields that change are named, blank cells change nothing', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const contact = await workspace.contact({ name: 'Kari', notes: 'Ring' });
    await workspace.client.post(`/contacts/${contact.id}/points`, { type: 'email', value: 'K@example.no' });
    const before = (await browser.get(`/contacts/${contact.id}`)).headers.etag;
    const { rows } = await importFile(browser, 'contact', [
      ['Name', 'Email', 'Telephone', 'Notes'],
      ['Kari Nordmann', 'k@example.no', '22 00 00 00', ''],
    ]);
    expect(rows).toMatchObject([
      { line: 2, outcome: 'updated', resource_id: contact.id, fields: ['name', 'telephone'] },
    ]);
    const after = await browser.get(`/contacts/${contact.id}`);
    expect(after.body.data).toMatchObject({ name: 'Kari Nordmann', notes: 'Ring' });
    expect(after.headers.etag).not.toBe(before);
    const { data } = (await browser.get('/changes?resource=contact')).body;
    expect(data.at(-1)).toMatchObject({ action: 'updated', fields: ['name'], actor: { kind: 'user' } });
  });

  test('have details with labels, which end at the first colon before a blank, or else at the first one', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const file = [
      ['Navn', 'E-post', 'Annet'],
      [
        'Kari',
        'k@example.no',
        'Tlf:: 22 00\na:b: c: d\n:x: :\nWeb:https://a.example\nweb: HTTPS://a.example',
      ],
    ];
    const [{ resource_id }] = (await importFile(browser, 'contact', file)).rows;
    const { data } = (await browser.get(`/contacts/${resource_id}/points`)).body;
    expect(data.slice(1).map(({ label, value }: never) => [label, value])).toEqual([
      ['Tlf:', '22 00'],
      ['a:b', 'c: d'],
      [':x', ':'],
      ['Web', 'https://a.example'],
    ]);
    expect(outcomes((await importFile(browser, 'contact', file)).rows)).toEqual(['unchanged']);
  });

  test('are refused one by one, with the reason and its field', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const { rows, refused_count } = await importFile(browser, 'contact', [
      ['Navn', 'E-post', 'Orgnr', 'ID', 'Annet'],
      ['', 'a@example.no', '', '', ''],
      ['B', 'not an address', '', '', ''],
      ['C', '', '12345', '', ''],
      ['D', '', freshOrgnr(), '', ''],
      ['E', '', '', 'x', ''],
      ['F\0', '', '', '', ''],
      ['G'.repeat(256), '', '', '', ''],
      ['H', '', '', '', 'no label'],
      ['I', 'i@example.no', '', '', ''],
      ['J', 'I@example.no', '', '', ''],
    ]);
    expect(codes(rows)).toEqual([
      'required',
      'invalid_email',
      'invalid_orgnr',
      'unknown_company',
      'invalid_id',
      'invalid_text',
      'too_long',
      'label_missing',
      '',
      'repeated',
    ]);
    expect(rows.at(-1).reasons).toEqual([{ field: null, code: 'repeated', line: 10 }]);
    expect(refused_count).toBe(9);
  });

  test('that share an address are ambiguous, and an erased contact does not come back', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    for (const _ of [1, 2]) {
      const { id } = await workspace.contact();
      await workspace.client.post(`/contacts/${id}/points`, { type: 'email', value: 'same@example.no' });
    }
    const erased = await workspace.contact();
    await workspace.client.delete(`/contacts/${erased.id}`);
    const file = [
      ['ID', 'Navn', 'E-post'],
      ['', 'Kari', 'same@example.no'],
      [erased.id, 'Kari', ''],
    ];
    expect(codes((await importFile(browser, 'contact', file)).rows)).toEqual(['ambiguous', 'used_id']);
  });
});

describe('companies', () => {
  test('come from the register, like companies added one by one', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const [orgnr, known] = [freshOrgnr(), await workspace.company({ status: 'lead' })];
    const gone = await workspace.company();
    await workspace.deleteCompany(gone.orgnr);
    const file = [
      ['Organisasjonsnummer', 'Status', 'Ansvarlig', 'Telefon'],
      [orgnr, 'Kunde', workspace.member.email.toUpperCase(), '22 00 00 00'],
      [known.orgnr, 'customer', '', ''],
      [gone.orgnr, '', '', ''],
      ['123456789', '', '', ''],
      ['999999999', '', '', ''],
      [freshOrgnr(), 'Gull', 'nobody@example.no', ''],
    ];
    const expected = await check(browser, 'company', file);
    const { rows } = await importFile(browser, 'company', file);
    expect(outcomes(rows)).toEqual(['created', 'updated', ...Array.from({ length: 4 }, () => 'refused')]);
    expect(codes(rows).slice(2)).toEqual([
      'deleted_company',
      'invalid_orgnr',
      expect.stringMatching(/^(?:not_in_register|invalid_orgnr)$/),
      'invalid_choice,unknown_user',
    ]);
    expect(codes(expected)).toEqual(codes(rows));
    const created = (await browser.get(`/companies/${orgnr}`)).body.data;
    expect(created).toMatchObject({ status: 'customer', assigned_to: workspace.member.id, source: 'import' });
    expect(created.name).not.toBe('');
    expect(outcomes((await importFile(browser, 'company', file.slice(0, 3))).rows)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });
});

describe('offers', () => {
  test('are matched by id, else by company and title; amounts may be as people write them', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const company = await workspace.company();
    const id = randomUUID();
    const file = [
      ['ID', 'Tittel', 'Orgnr', 'Engangsbeløp', 'Gjentakende', 'Periode', 'Status', 'Vekt'],
      [id, 'Avtale', company.orgnr, 'kr 1 000 000,00', '1.500', 'Årlig', 'Sendt', '60 %'],
      ['', 'Lisens', company.orgnr, '50000', '', '', '', ''],
      ['', 'Halv', company.orgnr, '0,5', '', '', '', ''],
    ];
    const { rows } = await importFile(browser, 'offer', file);
    expect([outcomes(rows), codes(rows)[2]]).toEqual([['created', 'created', 'refused'], 'invalid_number']);
    expect((await browser.get(`/offers/${id}`)).body.data).toMatchObject({
      one_time_revenue: 1_000_000,
      recurring_revenue: 1_500,
      recurring_frequency: 'yearly',
      status: 'sent',
      weight: 60,
      user_id: workspace.owner.id,
    });
    expect(outcomes((await importFile(browser, 'offer', file)).rows).slice(0, 2)).toEqual([
      'unchanged',
      'unchanged',
    ]);
    const won = [file[0]!, [id, '', '', '', '', '', 'Akseptert', '60']];
    expect((await importFile(browser, 'offer', won)).rows).toMatchObject([{ fields: ['status'] }]);
    expect((await browser.get(`/offers/${id}`)).body.data).toMatchObject({ status: 'accepted', weight: 100 });
    expect(outcomes((await importFile(browser, 'offer', won)).rows)).toEqual(['unchanged']);
  });
});

test.each(['nb', 'en'])('an exported list (%s) that is imported again changes nothing', async (language) => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const gone = await workspace.addMember();
  const company = await workspace.company({ assigned_to: gone.id, phone_number: '+47 22 00 00 00' });
  const lost = await workspace.company();
  const contact = await workspace.contact({ name: '\'=Kari; "K" ', notes: ' a\r\nb\n' });
  const points = [
    { type: 'email', value: 'kari@example.no', label: 'jobb' },
    { type: 'email', value: 'same@example.no' },
    { type: 'mobile', value: '+47 900 00 000' },
    { type: 'telephone', value: '-12 34\n56' },
    { type: 'other', label: 'A: b', value: '=x' },
    { type: 'other', label: 'Tlf:', value: '22 00' },
    { type: 'other', label: 'a:b', value: 'c' },
    { type: 'other', label: ':x', value: ':' },
    { type: 'other', label: `a: ${'b'.repeat(252)}`, value: 'c'.repeat(255) },
  ];
  for (const point of points) await workspace.client.post(`/contacts/${contact.id}/points`, point);
  for (const link of [{ company_id: company.id }, { company_id: lost.id, role: ' Leder\n' }]) {
    await workspace.client.post(`/contacts/${contact.id}/companies`, link);
  }
  const other = await workspace.contact({ name: '=1+1' });
  await workspace.client.post(`/contacts/${other.id}/points`, { type: 'email', value: 'same@example.no' });
  await workspace.offer({
    company_id: lost.id,
    title: '@b',
    user_id: gone.id,
    one_time_revenue: 2 ** 53 - 1,
  });
  await workspace.offer({ company_id: company.id, title: '\t- x', status: 'accepted' });
  await workspace.removeMember(gone);
  await workspace.deleteCompany(lost.orgnr);

  for (const [resource, path] of [
    ['company', 'companies'],
    ['contact', 'contacts'],
    ['offer', 'offers'],
  ] as const) {
    const { text } = await browser.get(`/${path}.csv?language=${language}`);
    const { rows } = await importFile(browser, resource, parseFile(text));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ outcome, reasons, fields }: never) => [outcome, reasons, fields])).toEqual(
      rows.map(() => ['unchanged', [], []]),
    );
  }
});

test('two imports of one file at once create each row once', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const contacts = [
    ['Navn', 'E-post'],
    ...Array.from({ length: 20 }, (_, index) => [`Person ${index}`, `p${index}@example.no`]),
  ];
  const offers = [['Tittel', 'Orgnr'], ...contacts.slice(1).map(([title]) => [title!, company.orgnr])];
  const numbers = Array.from({ length: 10 }, () => freshOrgnr());
  const companies = [['Orgnr'], ...numbers.map((orgnr) => [orgnr])];
  for (const [resource, file] of [
    ['contact', contacts],
    ['offer', offers],
    ['company', companies],
  ] as const) {
    const both = await Promise.all([
      importFile(browser, resource, file),
      importFile(browser, resource, backwards(file)),
    ]);
    const created = both.map(({ created_count }) => created_count);
    expect(created[0] + created[1]).toBe(file.length - 1);
    expect(both.flatMap(({ rows }) => codes(rows)).join('')).toBe('');
  }
});

test('another workspace and a member see nothing of an import', async () => {
  const [own, theirs] = [await world.workspace(), await world.workspace()];
  const browser = await own.signIn();
  const { id } = await importFile(await theirs.signIn(), 'contact', [['Navn'], ['Kari']]);
  const asked = [
    await browser.get(`/imports/${id}`),
    await browser.get(`/imports/${id}/rows`),
    await browser.post(`/imports/${id}/rows`, { rows: numbered([['Navn'], ['Ola']]) }),
    await browser.post(`/imports/${id}/undo`, {}),
  ];
  expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await browser.get('/imports')).body.data).toEqual([]);
  const member = await own.signIn(own.member);
  expect((await member.get('/imports')).status).toBe(403);
});
