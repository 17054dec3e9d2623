import type { Client } from 'pg';

/** How many rows of each kind a workspace has. */
type ListSizes = { companies: number; contacts: number; tasks: number; offers: number; notes: number };

/** The user and the company that the filters of the bench name: the company has every fiftieth contact. */
export const USER = '01890000-0000-7000-8000-0000000a0001';
export const COMPANY = '01890000-0000-7000-8000-000000000001';

const id = (place: string) => `('01890000-0000-7000-8000-' || lpad(to_hex(${place}), 12, '0'))::uuid`;

/** A number from 0 up to 1 that looks random: a different one for each place and each salt. */
const chance = (salt: number, place = 'place') =>
  `((hashint8extended(${place}, ${salt}) & 1048575) / 1048576.0::float8)`;

/** SQL for a word of six letters for each number. */
const word = (number: string) => `translate(left(md5((${number})::text), 6), '0123456789', 'ghijklmnop')`;

/**
 * One of `count` words, the first ones far more often than the last: of 20 000 words, a million rows have the first
 * 7 000 times, the tenth 1 100 times, the hundredth 350 times. `first` has the first words.
 */
function oneOf(kind: string, first: readonly string[], { count, salt }: { count: number; salt: number }) {
  const rank = `floor(${count} * power(${chance(salt)}, 2))::int`;
  return `coalesce(('{${first.join(',')}}'::text[])[${rank} + 1], ${word(`'${kind}' || ${rank}`)})`;
}

const TRADES =
  'bygg eiendom invest holding transport consult service elektro rør regnskap drift maskin energi data skog mat foto kraft media norge';
const trade = (salt: number) => oneOf('trade', TRADES.split(' '), { count: 200, salt });
const first = oneOf('first', 'anne jan per kari ola ida lars nora'.split(' '), { count: 1_000, salt: 3 });
const last = (salt: number) =>
  oneOf('last', 'hansen johansen olsen larsen andersen berg'.split(' '), { count: 20_000, salt });
const place = oneOf('place', 'oslo bergen stavanger trondheim'.split(' '), { count: 400, salt: 5 });
const rare = word(`'rare' || (hashint8extended(place, 6) & 131071)`);

/** A last name and a trade, a trade and a place, or a rare word and a trade; most of them with "AS". */
const COMPANY_NAME = `initcap(case when place % 10 < 3 then ${last(7)} || ' ' || ${trade(1)}
  when place % 10 = 3 then ${trade(2)} || ' ' || ${place} else ${rare} || ' ' || ${trade(2)} end)
  || case when place % 20 < 17 then ' AS' when place % 20 = 17 then ' ANS' else '' end`;
const CONTACT_NAME = `initcap(${first} || ' ' || ${last(4)})`;
const TITLE = `'Ring ' || initcap(${first}) || ' om ' || ${trade(1)}`;

/** Rows are created in order of id; every tenth was changed again at some later time. */
const UPDATED = `timestamptz '2026-01-01' + place * interval '1 s'
  + case when place % 10 = 3 then (hashint8(place) & 1048575) * interval '1 s' else interval '0' end`;

const STATEMENTS: Record<keyof ListSizes, readonly string[]> = {
  companies: [
    `insert into companies (tenant_id, id, orgnr, name, status, assigned_to, source, org_form, registered_at,
       employees, nace_primary, is_archived, updated_at)
     select $1::uuid, ${id('place')}, (900000000 + place)::text, ${COMPANY_NAME},
       (array['lead', 'prospect', 'customer', 'former_customer', 'disqualified'])[place % 5 + 1],
       case when place % 4 > 0 then '${USER}'::uuid end, 'api', 'AS', '2020-01-01', 0, '62.010', place % 10 = 0, ${UPDATED}
     from generate_series(1, $2::int) as place`,
    `insert into company_words select distinct tenant_id, word, id
     from companies, unnest(string_to_array(btrim(search), ' ')) as word where tenant_id = $1 and $2 > 0`,
  ],
  contacts: [
    `insert into contacts (tenant_id, id, name, notes, updated_at)
     select $1::uuid, ${id('place')}, ${CONTACT_NAME}, '', ${UPDATED}
     from generate_series(1, $2::int) as place`,
    `insert into contact_points (tenant_id, contact_id, type, label, value)
     select $1::uuid, ${id('place')}, case when place % 2 = 0 then 'email' else 'mobile' end, '',
       case when place % 2 = 0 then ${first} || '.' || place || '@example.no'
         else '+47 ' || case when place % 3 = 0 then 4 else 9 end || lpad(floor(1e7 * ${chance(8)})::text, 7, '0') end
     from generate_series(1, $2::int) as place`,
    `insert into contact_companies (tenant_id, contact_id, company_id)
     select $1::uuid, ${id('place')}, ${id('case when place % 50 = 0 then 1 else place end')}
     from generate_series(1, $2::int) as place`,
    `insert into contact_words (tenant_id, contact_id, point_id, word)
     select distinct tenant_id, id, 0, word
     from contacts, unnest(string_to_array(btrim(search), ' ')) as word where tenant_id = $1 and $2 > 0
     union all select tenant_id, contact_id, id, word from contact_points where tenant_id = $1`,
  ],
  tasks: [
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id, related_company_id, completed, updated_at)
     select $1::uuid, ${id('place')}, ${TITLE}, timestamptz '2026-06-01' + (hashint8(place) % 10000000) * interval '1 s', true,
       '${USER}', case when place % 4 = 0 then '${COMPANY}'::uuid end, place % 5 > 0, ${UPDATED}
     from generate_series(1, $2::int) as place`,
    `insert into task_words select distinct tenant_id, word, id
     from tasks, unnest(string_to_array(btrim(search), ' ')) as word where tenant_id = $1 and $2 > 0`,
  ],
  offers: [
    `insert into offers (tenant_id, id, title, user_id, company_id, status, one_time_revenue, recurring_revenue, recurring_frequency, weight, updated_at)
     select $1::uuid, ${id('place')}, ${TITLE}, '${USER}', '${COMPANY}',
       (array['new', 'sent', 'negotiating', 'accepted', 'rejected'])[place % 5 + 1], 0, 0, 'monthly', 100, ${UPDATED}
     from generate_series(1, $2::int) as place`,
    `insert into offer_words select distinct tenant_id, word, id
     from offers, unnest(string_to_array(btrim(search), ' ')) as word where tenant_id = $1 and $2 > 0`,
  ],
  notes: [
    `insert into timeline_entries (tenant_id, company_id, type, content, user_id)
     select $1::uuid, ${id('place % 1000 + 1')}, case when place % 3 = 0 then 'change_status' else 'add_comment' end,
       '{"text": "Ringte"}', '${USER}'
     from generate_series(1, $2::int * 3 / 2) as place`,
  ],
};

/** Fills one workspace. */
export async function seedLists(client: Client, tenant: string, sizes: ListSizes): Promise<void> {
  await client.query('insert into workspaces (id, name) values ($1, $1::uuid::text)', [tenant]);
  await client.query(
    "insert into users (id, email, first_name, last_name) values ($1, 'ola@example.no', 'Ola', 'Nordmann') on conflict do nothing",
    [USER],
  );
  await client.query('insert into memberships (tenant_id, user_id) values ($1, $2)', [tenant, USER]);
  await seedRows(client, tenant, sizes);
}

/** Fills a workspace that has the user of the bench as a member. */
export async function seedRows(client: Client, tenant: string, sizes: ListSizes): Promise<void> {
  for (const [table, statements] of Object.entries(STATEMENTS)) {
    for (const statement of statements) {
      await client.query(statement, [tenant, sizes[table as keyof ListSizes]]);
    }
  }
}

/** Indexes and foreign keys of the tables, without which rows are added many times faster. */
const SLOW = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
  from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index where not indisunique and indrelid = any($1::regclass[])`;

const TABLES =
  'companies,contacts,contact_points,contact_companies,contact_words,tasks,offers,timeline_entries';

/** Runs `fill` without indexes and foreign keys, and adds them again afterwards. */
export async function withoutIndexes(client: Client, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ drop: string; add: string }>(SLOW, [`{${TABLES}}`]);
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { drop } of rows) await client.query(drop);
  await fill();
  for (const { add } of rows) await client.query(add);
}
