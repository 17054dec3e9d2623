import {
  historyExportQuery,
  idsInValues,
  PEOPLE,
  type HistoryEntry,
  type HistoryFilters,
} from '../changes/history-schema.ts';
import { readHistory, type HistoryPlace } from '../changes/history-store.ts';
import { answer, noContent, operation, type Caller } from '../http/endpoint.ts';
import { findTimeZone } from '../workspaces/store.ts';
import { dateAndTime, yesOrNo, type CellContext } from './columns.ts';
import { fileQuery, findNames } from './export-list.ts';
import { csvFile, mustStillBeGood } from './file.ts';
import { CHOICES, type Said } from './headers.ts';
import { HISTORY_HEADERS, HISTORY_WORDS } from './history-words.ts';

/** The most entries that one file holds. */
const MAX_EXPORTED = 100_000;

/** Entries read at a time. */
const PAGE = 1_000;

export const exportHistory = operation({
  operationId: 'exportHistory',
  summary: 'The history as a CSV file',
  description: `As filtered, newest first, ${MAX_EXPORTED} entries at most.`,
  query: historyExportQuery.extend(fileQuery),
  answers: { 200: noContent },
  fails: [],
  async handle({ query: { language = 'nb', workspace: _shown, ...filters }, caller, tenant }) {
    const { time_zone: timeZone } = (await tenant.row(findTimeZone, {}))!;
    const header = Object.values(HISTORY_HEADERS).map((said) => said[language]);
    const download = csvFile('kundebok-history.csv', header, rowsOf(caller, filters, { language, timeZone }));
    return answer(200, undefined, { download });
  },
});

async function* rowsOf(
  caller: Caller,
  filters: HistoryFilters,
  asked: Pick<CellContext, 'language' | 'timeZone'>,
): AsyncGenerator<(string | null)[]> {
  const { tenant } = caller;
  let before: HistoryPlace | undefined;
  for (let left = MAX_EXPORTED; left > 0;) {
    const limit = Math.min(PAGE, left);
    const { entries, next } = await readHistory(tenant, filters, { before, limit });
    await mustStillBeGood(caller);
    const context = { ...asked, ...(await findNames(tenant, REFERENCES, entries)) };
    for (const entry of entries) yield cellsOf(entry, context);
    if (!next) return;
    left -= entries.length;
    before = next;
  }
}

const REFERENCES = {
  people: (entry: HistoryEntry) => idsInValues(entry, PEOPLE),
  companies: (entry: HistoryEntry) => idsInValues(entry, ['company_id', 'related_company_id']),
};

/** Ids are of no use to a reader; the contact is named in another column. */
const IDS_OF_CONTACTS = new Set(['contact_id', 'merged_into']);

/** The cells of an entry, in the order of the header. */
function cellsOf(entry: HistoryEntry, context: CellContext): (string | null)[] {
  const { actor, action, resource } = entry;
  const { language } = context;
  const { name, kind, id } = actor;
  return [
    dateAndTime(entry.at, context, 'second'),
    name,
    HISTORY_WORDS.actor[kind][language],
    id,
    HISTORY_WORDS.action[action][language],
    HISTORY_WORDS.resource[resource][language],
    entry.title,
    entry.resource_id,
    entry.orgnr,
    entry.fields.map((field) => nameOf(field, resource, context)).join(', '),
    Object.keys(entry.values)
      .filter((field) => !IDS_OF_CONTACTS.has(field))
      .map((field) => changeOf(entry, field, context))
      .join(', '),
    entry.request_id,
  ];
}

/** An offer has an owner; a task or a company is assigned to somebody. */
function nameOf(field: string, resource: HistoryEntry['resource'], { language }: CellContext): string {
  const name = field === 'user_id' && resource === 'task' ? 'assigned_to' : field;
  return HISTORY_WORDS.field[name]?.[language] ?? field;
}

/** "status: Sendt → Akseptert"; for a field of a new resource, only its value. */
function changeOf({ action, resource, values }: HistoryEntry, field: string, context: CellContext): string {
  const shown = values[field]!.map((value) => valueOf(value, resource, context));
  return `${nameOf(field, resource, context)}: ${action === 'created' ? shown.at(-1) : shown.join(' → ')}`;
}

function valueOf(
  value: unknown,
  resource: HistoryEntry['resource'],
  { language, ...context }: CellContext,
): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return yesOrNo(value, language);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const statuses: Readonly<Record<string, Said>> =
    resource === 'offer' ? CHOICES.offer_status : CHOICES.company_status;
  return statuses[text]?.[language] ?? context.people.get(text) ?? context.companies.get(text)?.name ?? text;
}
