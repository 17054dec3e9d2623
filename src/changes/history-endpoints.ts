import type { Tenant } from '../db/tenant.ts';
import { csvFile } from '../http/csv.ts';
import { decodeCursor, encodeCursor, foreignCursor } from '../http/cursor.ts';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { instant } from '../http/fields.ts';
import { kindOf } from '../http/listed.ts';
import {
  historyAnswer,
  historyExportQuery,
  historyQuery,
  type HistoryEntry,
  type HistoryFilters,
} from './history-schema.ts';
import { readHistory, type HistoryPlace } from './history-store.ts';

const TAG = { tag: 'Changes' } as const;

/** Entries that one file holds at most. */
const MAX_EXPORTED = 100_000;

/** Entries read at a time for a file. */
const EXPORT_PAGE = 1_000;

export const getHistory = operation({
  ...TAG,
  operationId: 'listHistory',
  summary: 'Who changed what, newest first',
  description:
    'The change log for people: with the names of who changed something and of what was changed. A page filtered by resource or action can hold fewer entries, or none, while more follow.',
  query: historyQuery,
  outcomes: { 200: 'A page of entries.' },
  answers: { 200: historyAnswer },
  fails: [],
  async handle({ query: { limit, cursor, ...filters }, tenant }) {
    const kind = kindOf(tenant.id, 'history', filters);
    const { entries, next } = await readHistory(tenant, filters, { before: placeOf(kind, cursor), limit });
    const next_cursor = next ? encodeCursor(kind, [next.at, next.draw]) : null;
    return answer(200, { data: entries, page: { size: limit, has_more: next !== undefined, next_cursor } });
  },
});

export const exportHistory = operation({
  ...TAG,
  operationId: 'exportHistory',
  summary: 'The history as a CSV file',
  description: `As filtered, newest first, ${MAX_EXPORTED} entries at most.`,
  query: historyExportQuery,
  outcomes: { 200: 'The file.' },
  answers: { 200: noContent },
  fails: [],
  async handle({ query, tenant }) {
    const download = csvFile('kundebok-history.csv', COLUMNS, rowsOf(tenant, query));
    return answer(200, undefined, { download });
  },
});

const COLUMNS = [
  'at',
  'who',
  'who_kind',
  'who_id',
  'action',
  'resource',
  'what',
  'resource_id',
  'orgnr',
  'fields',
  'values',
  'request_id',
];

async function* rowsOf(tenant: Tenant, filters: HistoryFilters): AsyncGenerator<(string | null)[]> {
  let before: HistoryPlace | undefined;
  for (let left = MAX_EXPORTED; left > 0;) {
    const limit = Math.min(EXPORT_PAGE, left);
    const { entries, next } = await readHistory(tenant, filters, { before, limit });
    for (const entry of entries) yield cellsOf(entry);
    if (!next) return;
    left -= entries.length;
    before = next;
  }
}

function cellsOf({ actor, at, action, resource, title, resource_id, orgnr, ...rest }: HistoryEntry) {
  const values = Object.keys(rest.values).length === 0 ? null : JSON.stringify(rest.values);
  return [
    at,
    actor.name,
    actor.kind,
    actor.id,
    action,
    resource,
    title,
    resource_id,
    orgnr,
    rest.fields.join(', '),
    values,
    rest.request_id,
  ];
}

/** @throws {Problem} invalid_request */
function placeOf(kind: string, cursor: string | undefined): HistoryPlace | undefined {
  if (!cursor) return undefined;
  const [at, draw, ...rest] = decodeCursor(kind, cursor);
  if (
    typeof at !== 'string' ||
    !instant.safeParse(at).success ||
    !Number.isSafeInteger(draw) ||
    rest.length > 0
  ) {
    throw foreignCursor();
  }
  return { at, draw: draw as number };
}
