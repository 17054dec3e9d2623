import { historyExportQuery, type HistoryEntry, type HistoryFilters } from '../changes/history-schema.ts';
import { readHistory, type HistoryPlace } from '../changes/history-store.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { csvFile } from './file.ts';

/** The most entries that one file holds. */
const MAX_EXPORTED = 100_000;

/** Entries read at a time. */
const PAGE = 1_000;

export const exportHistory = operation({
  operationId: 'exportHistory',
  summary: 'The history as a CSV file',
  description: `As filtered, newest first, ${MAX_EXPORTED} entries at most.`,
  query: historyExportQuery,
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
    const limit = Math.min(PAGE, left);
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
