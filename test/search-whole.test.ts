import { beforeAll, expect, test } from 'vitest';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

/** Rows with only one of the words, before those with both: of each word more than a search reads. */
const ONE = 10_500;
const BOTH = 3_000;

let workspace: Workspace;

beforeAll(async () => {
  workspace = await world.workspace();
  await world.query(
    `with added as (
       insert into contacts (tenant_id, id, name, notes)
       select $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n > ${ONE} then 'Alfa Al' || (n % 50 + 10) || ' ' else '' end
           || case when n <= ${ONE} or n > ${2 * ONE} then 'Beta Be' || (n % 50 + 10) else '' end, ''
       from generate_series(1, ${2 * ONE + BOTH}) as n returning *)
     insert into contact_words
     select distinct tenant_id, id, 0, word from added, unnest(string_to_array(btrim(search), ' ')) as word`,
    [workspace.id],
  );
  await world.query('analyze contacts, contact_words');
});

/** How many rows a list has, and how many of them are different. */
async function countFound(path: string, { client } = workspace): Promise<[number, number]> {
  const found = (await walk(client, path)).map(({ id }) => id);
  return [found.length, new Set(found).size];
}

test.each(['id', 'name', 'updated_at'])(
  'two words, each in many rows, find all rows that have both, by %s',
  async (sort) => {
    expect(await countFound(`/contacts?q=alfa%20beta&sort=${sort}`)).toEqual([BOTH, BOTH]);
  },
);

test('two short texts, each the start of more words than are listed, find all rows that have both', async () => {
  expect(await countFound('/contacts?q=al%20be')).toEqual([BOTH, BOTH]);
});

test('contacts with several addresses that begin with the word are found to the last', async () => {
  const other = await world.workspace();
  await world.query(
    `with added as (
       insert into contacts (tenant_id, id, name, notes)
       select $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n in (120, 290) then 'Post Berg' else 'Nr. ' || n end, ''
       from generate_series(1, 300) as n returning *),
     points as (
       insert into contact_points (tenant_id, contact_id, type, label, value)
       select tenant_id, id, 'email', '', 'post@' || host || id || '.example.no'
       from added, unnest(array['a', 'b', 'c']) as host where name like 'Nr. %' returning *),
     words as (
       insert into contact_words
       select distinct tenant_id, id, 0, word from added, unnest(string_to_array(btrim(search), ' ')) as word)
     insert into contact_words (tenant_id, contact_id, point_id, word)
     select tenant_id, contact_id, id, value from points`,
    [other.id],
  );
  expect(await countFound('/contacts?q=post', other)).toEqual([300, 300]);
  expect(await countFound('/contacts?q=po&sort=name', other)).toEqual([300, 300]);
});
