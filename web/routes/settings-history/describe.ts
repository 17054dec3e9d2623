import type { CallResult } from '../../client/call.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

type Answer = CallResult<'GET /history'>['data'];
export type Entry = Answer['data'][number];

/** Fields whose ids are not those of members, and say nothing to a reader. */
const OTHER_IDS = new Set(['company_id', 'related_company_id', 'contact_id', 'merged_into']);

/** Says an entry in the person's language; `people` are those whose ids are in values. */
export function useDescription(people: Answer['people']) {
  const nameOf = new Map(
    people.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()]),
  );
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();

  /** The `user_id` of an offer is its owner. That of a task has the same name as `assigned_to` of a company. */
  function fieldOf({ resource }: Entry, field: string): string {
    const name = field === 'user_id' && resource === 'task' ? 'assigned_to' : field;
    return (said.fields as Record<string, string>)[name] ?? field;
  }

  function valueOf({ resource }: Entry, field: string, value: unknown): string {
    if (value === null || value === undefined) return names.none;
    if (typeof value === 'boolean') return value ? names.yes : names.no;
    if (typeof value === 'number') {
      return field.endsWith('_revenue') ? format.amount(value) : format.number(value);
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (field === 'status') {
      const statuses: Record<string, string> = resource === 'offer' ? names.offerStatus : names.companyStatus;
      return statuses[text] ?? text;
    }
    if (field === 'recurring_frequency') return (names.frequency as Record<string, string>)[text] ?? text;
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return format.shortDate(text);
    return nameOf.get(text) ?? text;
  }

  function detailsOf(entry: Entry): string {
    // A contact that was merged into another is recorded as deleted.
    const fields =
      entry.action === 'updated' ? entry.fields : entry.fields.filter((field) => field === 'merged_into');
    const shown = fields.map((field) => {
      const value = entry.values[field];
      const name = fieldOf(entry, field);
      if (!value || OTHER_IDS.has(field)) return name;
      const [before, after] = value.map((one) => valueOf(entry, field, one));
      return said.moved(name, before!, after!);
    });
    return shown.join(', ');
  }

  return {
    happened: (entry: Entry) => said.sentence(said.actions[entry.action], detailsOf(entry)),
    subject: ({ title, resource, orgnr }: Entry) =>
      said.subject(title ?? (orgnr === null ? said.gone : format.orgnr(orgnr)), said.resources[resource]),
    who: ({ actor: { kind, id, name } }: Entry): string => {
      if (kind === 'command' && id !== null) return id === 'demo' ? said.demo : said.command(id);
      // A key may have no name, and is then called by its id, as in the filter.
      return name || (kind === 'key' && id) || said.kinds[kind];
    },
  };
}

/** Where an entry leads: to what was changed, or what it belongs to. */
export function addressOf({ resource, resource_id: id, orgnr, contact_id: contact }: Entry): string {
  switch (resource) {
    case 'task':
      return '/tasks';
    case 'offer':
      return `/offers/${id}`;
    case 'company':
    case 'note':
      return `/companies/${orgnr}`;
    case 'contact':
    case 'point':
    case 'link':
      return `/contacts/${contact}`;
    default:
      return resource satisfies never;
  }
}
