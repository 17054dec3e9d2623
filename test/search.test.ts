import { beforeAll, describe, expect, test } from 'vitest';
import { freshOrgnr, type Workspace } from './workspace.ts';
import { walk } from './walk.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
let workspace: Workspace;

/** A company with a name that the sandbox register does not have. */
async function companyNamed(name: string, orgnr = freshOrgnr()): Promise<string> {
  await world.query(
    `with added as (
       insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       values ($1, gen_random_uuid(), $2, $3, 'prospect', 'api', 'AS', '2020-01-01', 0, '00.000') returning *)
     insert into company_words
     select distinct tenant_id, word, id from added, unnest(string_to_array(btrim(search), ' ')) as word`,
    [workspace.id, orgnr, name],
  );
  return orgnr;
}

const COMPANIES = [
  'KONGSBERG GRUPPEN ASA',
  'KONGSBERG AUTOMOTIVE ASA',
  'Café Élan & Müller AS',
  'ÅS BYGG AS',
  'AS BYGG AS',
  'Sørøya Fiskeoppdrett SA',
  '100% Bra_Ting AS',
  "O'Neil-Hansen ANS",
  '7 ELEVEN NORGE',
];

beforeAll(async () => {
  workspace = await world.workspace();
  for (const [index, name] of COMPANIES.entries()) await companyNamed(name, `92360901${index}`);
});

async function found(path: string, q: string): Promise<string[]> {
  const rows = await walk(workspace.client, `${path}?q=${encodeURIComponent(q)}`);
  return rows.map(({ name }) => name).toSorted((one, other) => (one < other ? -1 : 1));
}

describe('q finds companies', () => {
  test.each([
    ['asa kong', [1, 0]],
    ['kongsberg', [1, 0]],
    ['KONGSB grup', [0]],
    ['gruppen  Kongsberg', [0]],
    ['cafe elan', [2]],
    ['CAFÉ muller', [2]],
    ['Müller', [2]],
    ['ås', [3]],
    ['as bygg', [4, 3]],
    ['A\u030As', [3]],
    ['sørøya', [5]],
    ['soroya', []],
    ['100%', [6]],
    ['bra_t', [6]],
    ['o neil', [7]],
    ["o'neil hansen", [7]],
    ['7', [8]],
    ['7 eleven', [8]],
    ['ongsberg', []],
    ['kongsberg zebra', []],
    ['923609013', [3]],
    ['923 609 014', [4]],
    ['92360901', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['23609013', []],
    ['%', []],
    ['_', []],
    ["'", []],
    ["\\'; drop table companies --", []],
    ['"kongsberg"', [1, 0]],
    ['kongsberg & !| :*', [1, 0]],
    ['😀', []],
  ])('%s', async (q, indexes) => {
    const expected = indexes.map((index) => COMPANIES[index]!);
    expect(await found('/companies', q)).toEqual(expected.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  test('with filters and sorts, a page at a time, archived ones but no deleted or foreign ones', async () => {
    const own = workspace;
    await companyNamed('Kongsberg Slettet AS', '923609020');
    await own.deleteCompany('923609020');
    await own.archiveCompany('923609010');
    const names = async (query: string) =>
      (await walk(own.client, `/companies?q=kong&${query}`, 1)).map(({ name }) => name);
    expect(await names('sort=name')).toEqual([COMPANIES[1], COMPANIES[0]]);
    expect(await names('archived=true')).toEqual([COMPANIES[0]]);
    expect(await names('archived=false&status=prospect&sort=-updated_at')).toEqual([COMPANIES[1]]);
    expect(await names('status=lead')).toEqual([]);
    expect(await walk((await world.workspace()).client, '/companies?q=kong')).toEqual([]);
  });

  test('that were just created, by number and by the name of the register', async () => {
    const { client } = await world.workspace();
    const { data } = (await client.post('/companies', { orgnr: '923609016' })).body;
    expect(data.name).toBe('EQUINOR ASA');
    for (const q of ['equi', '923', 'asa%20eq']) {
      expect(await walk(client, `/companies?q=${q}`)).toEqual([data]);
    }
  });
});

describe('q finds contacts', () => {
  let own: Workspace;

  beforeAll(async () => {
    own = await world.workspace();
    const kari = await own.contact({ name: 'Kari Nordmann' });
    const jose = await own.contact({ name: 'José Ærøe 99' });
    await own.contact({ name: 'post@fjell.no (Per)' });
    await own.contact({ name: 'Klasse 47' });
    const bare = await own.contact({ name: 'Nils Berg' });
    const points: [string, object][] = [
      [kari.id, { type: 'email', value: 'K.Nordmann+crm@example.no' }],
      [kari.id, { type: 'mobile', value: '+47 900 12 345' }],
      [jose.id, { type: 'telephone', value: '0047 22 33 44 55' }],
      [jose.id, { type: 'telephone', value: '+46 (70) 123' }],
      [jose.id, { type: 'other', label: 'Kode', value: '777 88' }],
      [bare.id, { type: 'mobile', value: '47 988 76 543' }],
    ];
    for (const [id, point] of points) await own.client.post(`/contacts/${id}/points`, point);
  });

  test.each([
    ['nord kari', 'Kari Nordmann'],
    ['k.nord', 'Kari Nordmann'],
    ['K.NORDMANN+CRM@example.no', 'Kari Nordmann'],
    ['900', 'Kari Nordmann'],
    ['900 12', 'Kari Nordmann'],
    ['+47 90012345', 'Kari Nordmann'],
    ['004790', 'Kari Nordmann'],
    ['4790012345', 'Kari Nordmann'],
    ['47 90 01 23 45', 'Kari Nordmann'],
    ['47 988 76 543', 'Nils Berg'],
    ['jose', 'José Ærøe 99'],
    ['ærø', 'José Ærøe 99'],
    ['2233 4455', 'José Ærøe 99'],
    ['+4670', 'José Ærøe 99'],
    ['99', 'José Ærøe 99'],
    ['post@fj', 'post@fjell.no (Per)'],
    ['fjell@post', 'post@fjell.no (Per)'],
    ['Post@Fjell.no per', 'post@fjell.no (Per)'],
    // The prefix of Norway alone is the beginning of no number.
    ['+47', 'Klasse 47'],
  ])('%s', async (q, name) => {
    const rows = await walk(own.client, `/contacts?q=${encodeURIComponent(q)}`);
    expect(rows.map((row) => row.name)).toEqual([name]);
  });

  test.each(['crm@example.no', 'example.no', '12345', '777', '12 345', 'aroe', 'mann', '@', '+'])(
    'not by %s',
    async (q) => {
      expect(await walk(own.client, `/contacts?q=${encodeURIComponent(q)}`)).toEqual([]);
    },
  );

  test('by the first word of an address, which many begin with, as long as they have it', async () => {
    const { id: workspaceId, client, contact } = await world.workspace();
    await contact({ name: 'Mia Berg' });
    // More words that begin with "mia" than a search lists.
    await world.query(
      `with added as (
         insert into contacts (tenant_id, id, name, notes)
         select $1, gen_random_uuid(), 'Nr. ' || n, '' from generate_series(1, 60) as n returning *),
       points as (
         insert into contact_points (tenant_id, contact_id, type, label, value)
         select tenant_id, id, 'email', '', 'mia.' || substr(name, 5) || '@example.no' from added returning *)
       insert into contact_words (tenant_id, contact_id, point_id, word)
       select tenant_id, contact_id, id, word from points`,
      [workspaceId],
    );
    const changed = await contact({ name: 'Byttet' });
    const points = `/contacts/${changed.id}/points`;
    const { body } = await client.post(points, { type: 'email', value: 'MiaIversen@example.no' });
    await client.post(points, { type: 'other', label: 'Mia', value: 'mia' });
    const count = async (q: string) => (await walk(client, `/contacts?q=${q}`)).length;
    expect([await count('mia'), await count('mi'), await count('miai')]).toEqual([62, 62, 1]);
    await client.patch(`${points}/${body.data.id}`, { value: 'iversen@example.no' });
    expect([await count('mia'), await count('miai'), await count('iver')]).toEqual([61, 0, 1]);
    await client.delete(`${points}/${body.data.id}`);
    expect([await count('mia'), await count('iver')]).toEqual([61, 0]);
  });

  test('under a new name and no longer under the old one', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact({ name: 'Kari Nordmann' });
    await client.patch(`/contacts/${id}`, { name: 'Kari Hansen', notes: 'Byttet navn' });
    const names = async (q: string) => (await walk(client, `/contacts?q=${q}`)).map(({ name }) => name);
    expect([await names('nordmann'), await names('hans'), await names('kari')]).toEqual([
      [],
      ['Kari Hansen'],
      ['Kari Hansen'],
    ]);
    const words = await world.query('select word from contact_words where contact_id = $1 order by word', [
      id,
    ]);
    expect(words).toEqual([{ word: 'hansen' }, { word: 'kari' }]);
  });

  test('each of them when renamed by many at once', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact({ name: 'Kari' });
    const names = Array.from({ length: 12 }, (_, n) => `Kari${n} ${n % 2 === 0 ? 'Berg' : 'Lund'}`);
    await Promise.all(names.map((name) => client.patch(`/contacts/${id}`, { name })));
    const { name } = (await client.get(`/contacts/${id}`)).body.data;
    for (const q of name.split(' ')) {
      expect(await walk(client, `/contacts?q=${q}`)).toHaveLength(1);
    }
    const other = name.endsWith('Berg') ? 'lund' : 'berg';
    expect(await walk(client, `/contacts?q=${other}`)).toEqual([]);
  });
});

test.each(['/companies', '/contacts'])(
  '%s refuses a q that is blank, too long or given twice',
  async (path) => {
    for (const q of ['', '%20', 'x'.repeat(101), 'a&q=a', '%00']) {
      const answer = await workspace.client.get(`${path}?q=${q}`);
      expect([q, answer.status, answer.body.details?.[0].field]).toEqual([q, 400, 'q']);
    }
    expect((await workspace.client.get(`${path}?q=${'x'.repeat(100)}`)).status).toBe(200);
  },
);

describe('several words that are each in many rows', () => {
  let own: Workspace;

  /** Entries of contacts that are gone. */
  const entries = (word: string, count: number) =>
    world.query(
      `insert into contact_words (tenant_id, contact_id, point_id, word)
       select $1, gen_random_uuid(), 0, replace($2, '#', n::text) from generate_series(1, $3::integer) as n`,
      [own.id, word, count],
    );

  beforeAll(async () => {
    own = await world.workspace();
    await entries('nils', 1_200);
    await entries('nils.#@example.no', 300);
    await entries('bergh', 1_200);
    await entries('dahl', 1_200);
    await entries('dahl#', 50);
    for (const name of ['Nils Bergh', 'Bergheim, Nilsine', 'Nils Dahl', 'Nils Bør', 'Per Nilsbergh']) {
      await own.contact({ name });
    }
    const { id } = await own.contact({ name: 'Nils Ås' });
    await own.client.post(`/contacts/${id}/points`, { type: 'email', value: 'bergh@example.no' });
    const other = await world.workspace();
    await other.contact({ name: 'Nils Bergh' });
  });

  test.each([
    ['both from their start', 'nils bergh', ['Bergheim, Nilsine', 'Nils Bergh']],
    ['in any order', 'BERGH  Nils', ['Bergheim, Nilsine', 'Nils Bergh']],
    ['one that is typed in half', 'bergh n', ['Bergheim, Nilsine', 'Nils Bergh']],
    ['one with many longer ones beside it', 'nils dahl', ['Nils Dahl']],
    ['none that only an address has', 'nils bergh@example.no', []],
    ['three of them', 'nils bergh dahl', []],
    ['one that nobody has', 'nils bergh xyz', []],
  ])('%s', async (_, q, names) => {
    for (const sort of ['id', 'name', '-updated_at']) {
      const rows = await walk(own.client, `/contacts?q=${encodeURIComponent(q)}&sort=${sort}`);
      const found = rows.map(({ name }) => name as string).toSorted((one, other) => (one < other ? -1 : 1));
      expect([sort, found]).toEqual([sort, names]);
    }
  });

  test('under a new name and no longer under the old one', async () => {
    const { id } = await own.contact({ name: 'Nils Bergh Lund' });
    const found = async (q: string) =>
      (await walk(own.client, `/contacts?q=${q}`)).some((row: { id: string }) => row.id === id);
    expect(await found('nils+bergh')).toBe(true);
    await own.client.patch(`/contacts/${id}`, { name: 'Nils Dahl Lund' });
    expect([await found('nils+bergh'), await found('nils+dahl')]).toEqual([false, true]);
    await own.client.delete(`/contacts/${id}`);
    expect(await found('nils+dahl')).toBe(false);
  });
});

test('two words in very many rows are found together, however many entries are before theirs', async () => {
  const workspace = await world.workspace();
  // Entries of contacts that are gone: of each word more than a search reads, and most of the longer word.
  await world.query(
    `insert into contact_words (tenant_id, contact_id, point_id, word)
     select $1, gen_random_uuid(), 0, case when n <= 110000 then 'fellesskap' else 'sjelden' end
     from generate_series(1, 130000) as n`,
    [workspace.id],
  );
  // As autovacuum does within a minute.
  await world.query('analyze contact_words');
  const id = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
  await workspace.contact({ id, name: 'Fellesskap Sjelden' });
  for (const sort of ['id', 'name']) {
    const { body } = await workspace.client.get(`/contacts?q=fellesskap+sjelden&sort=${sort}`);
    expect(body.data.map((row: { id: string }) => row.id)).toEqual([id]);
  }
});
