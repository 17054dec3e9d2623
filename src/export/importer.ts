import { sql } from 'kysely';
import { CommandError } from '../cli/output.ts';
import { ERASED } from '../contacts/schema.ts';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { endResets } from '../members/link-store.ts';
import { FIRST_OWNER_EMAIL } from '../members/schema.ts';
import { emailKeyOf } from '../members/store.ts';
import { INSERTERS, moveSequence, type Inserter } from './insert.ts';
import { noCounts, type LineKind, type Line } from './lines.ts';

type Row = { id: string | number } & Record<string, unknown>;

/** Does not change a person whose id or address exists; returns no row then. */
const insertPerson = statement(
  'import user',
  (p: { tenant: string; person: string }) => sql<{ id: string }>`
    insert into users (id, email, first_name, last_name, created_at)
    select id, email, first_name, last_name, coalesce(created_at, now())
    from jsonb_populate_record(null::users, ${p.person}::jsonb)
    on conflict do nothing returning id`,
);

/** By id first, because an address may have passed to another person. */
const findPerson = statement(
  'find user to import',
  (p: { tenant: string; person: string }) => sql<{ id: string; is_member: boolean }>`select u.id,
      exists (select from memberships as m
        where m.tenant_id = ${p.tenant} and m.user_id = u.id and m.removed_at is null) as is_member
    from users as u, jsonb_populate_record(null::users, ${p.person}::jsonb) as r
    where u.id = r.id or u.email_key = ${emailKeyOf(sql.ref('r.email'))}
    order by u.id <> r.id limit 1`,
);

const insertMember = statement(
  'import member',
  (p: { tenant: string; member: string }) => sql<{ id: string }>`insert into memberships
      (tenant_id, user_id, role, created_at, removed_at, rejoined_at,
        invited_email, invited_first_name, invited_last_name)
    select ${p.tenant}, user_id, coalesce(role, 'member'), coalesce(created_at, now()), removed_at, rejoined_at,
      invited_email, invited_first_name, invited_last_name
    from jsonb_populate_record(null::memberships, ${p.member}::jsonb)
    on conflict do nothing returning user_id as id`,
);

/** Statements that move the sequences of the tables whose rows are numbered. */
const SEQUENCES = ['timeline_entries', 'contact_points', 'contact_companies'].map(moveSequence);

/** Adds lines of an export to one workspace. */
export class LineImporter {
  readonly added = noCounts();
  readonly unchanged = noCounts();
  readonly #transaction: Queryable;
  readonly #tenant: Tenant;
  /** Ids in this database of people who have another id in the file, by that id. */
  readonly #people = new Map<string, string>();
  /** The highest number of an imported row so far, in any of the numbered tables. */
  #highest = 0;

  constructor(transaction: Queryable, workspace: string) {
    this.#transaction = transaction;
    this.#tenant = tenantOfCommand(transaction, workspace, 'import');
  }

  async add(kind: LineKind, lines: readonly Line[]): Promise<void> {
    const rows = lines.map(({ data, more }): Row => ({ ...more, ...data }));
    if (kind === 'user') return this.#addMembers(rows);
    if (kind === 'contact') return this.#addContacts(rows);
    if (kind === 'timeline_entry') await this.#passBy(rows);
    const stored = rows.map((row) => {
      if (kind === 'erased_contact') return { ...row, ...ERASED };
      if (kind === 'task') return { ...this.#withPeople(row), updated_at: `${String(row['updated_at'])}Z` };
      return this.#withPeople(row);
    });
    await this.#count(kind, stored);
  }

  async #addMembers(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      const person = JSON.stringify(row);
      await this.#tenant.row(insertPerson, { person });
      const known = await this.#tenant.row(findPerson, { person });
      const isAnother = row['email'] === FIRST_OWNER_EMAIL && known?.id !== row.id;
      // A removed member cannot give an address or enter any more, so nobody gets another person's work.
      if (isAnother && (row['removed_at'] === null || known?.is_member)) {
        throw new CommandError(
          'The first owner of the file has not given an address yet, and neither has the first owner of this installation, who may be somebody else: have one of them open an invitation (kundebok user invite); if it was the one of the file, export again. Nothing was imported',
        );
      }
      if (known && known.id !== row.id) this.#people.set(String(row.id), known.id);
      const member = JSON.stringify({
        ...row,
        user_id: known?.id ?? row.id,
        invited_email: row['email'],
        invited_first_name: row['first_name'],
        invited_last_name: row['last_name'],
      });
      const isNew = await this.#tenant.row(insertMember, { member });
      // The file may say that they were members before a link for a new password was made.
      if (isNew) await this.#transaction.rows(endResets, { user_id: isNew.id });
      (isNew ? this.added : this.unchanged).user += 1;
    }
  }

  /** Details and links of an existing contact are not changed, like the contact itself. */
  async #addContacts(rows: readonly Row[]): Promise<void> {
    const counted = rows.map(({ points, links, ...row }) => ({
      ...row,
      point_count: (points as Row[]).length,
      link_count: (links as Row[]).length,
    }));
    const isNew = new Set(await this.#count('contact', counted));
    const owned = (name: 'points' | 'links') =>
      rows
        .filter(({ id }) => isNew.has(id))
        .flatMap((row) => (row[name] as Row[]).map((each): Row => ({ ...each, contact_id: row.id })));
    await this.#passBy([...owned('points'), ...owned('links')]);
    await this.#insert('detail', INSERTERS.point, owned('points'));
    await this.#insert('company link', INSERTERS.link, owned('links'));
  }

  async #count(kind: Exclude<LineKind, 'user'>, rows: readonly Row[]): Promise<Row['id'][]> {
    const ids = await this.#insert(kind, INSERTERS[kind], rows);
    this.added[kind] += ids.length;
    this.unchanged[kind] += rows.length - ids.length;
    return ids;
  }

  /** @throws {CommandError} when the workspace has used an id for something else */
  async #insert(what: string, inserter: Inserter, rows: readonly Row[]): Promise<Row['id'][]> {
    const [first] = rows;
    if (!first) return [];
    const json = JSON.stringify(rows);
    const added = await this.#tenant.rows(inserter.insert(Object.keys(first)), { rows: json });
    const other = added.length < rows.length && (await this.#tenant.row(inserter.findOthers, { rows: json }));
    if (other) {
      throw new CommandError(
        `The workspace has used the id or number of the ${what} ${other.id} of the file for something else: import into another workspace. Nothing was imported`,
      );
    }
    return added.map(({ id }) => id);
  }

  /** Makes rows that others add from now on get higher numbers: the imported ones may be committed minutes later. */
  async #passBy(rows: readonly Row[]): Promise<void> {
    const highest = rows.reduce((most, { id }) => Math.max(most, Number(id)), this.#highest);
    if (highest === this.#highest) return;
    this.#highest = highest;
    for (const move of SEQUENCES) await this.#tenant.row(move, { highest });
  }

  #withPeople(row: Row): Row {
    if (this.#people.size === 0) return row;
    const known = (id: unknown) => this.#people.get(String(id)) ?? id;
    const replaced: Row = { ...row };
    for (const name of ['user_id', 'assigned_to']) if (name in row) replaced[name] = known(row[name]);
    if (row['type'] === 'change_assignment') {
      const { from, to } = row['content'] as Record<string, unknown>;
      replaced['content'] = { from: known(from), to: known(to) };
    }
    return replaced;
  }
}
