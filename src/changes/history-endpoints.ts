import { decodeCursor } from '../http/cursor.ts';
import { answer, operation } from '../http/endpoint.ts';
import { isInstant, isInteger } from '../http/fields.ts';
import { cursorKindOf } from '../http/listed.ts';
import { cursorPageOf } from '../http/paging.ts';
import { findNamedPeople } from '../members/named.ts';
import { historyActorsAnswer, historyAnswer, historyQuery, idsInValues, PEOPLE } from './history-schema.ts';
import { listKeysInHistory, listRemovedInHistory, readHistory, type HistoryPlace } from './history-store.ts';

export const getHistory = operation({
  operationId: 'listHistory',
  summary: 'Who changed what, newest first',
  description:
    'The change log for people: with the names of who changed something and of what was changed. A page filtered by resource or action can hold fewer entries, or none, while more follow.',
  query: historyQuery,
  answers: { 200: historyAnswer },
  fails: [],
  async handle({ query: { limit, cursor, ...filters }, tenant }) {
    const kind = cursorKindOf(tenant.id, 'history', filters);
    const { entries, next } = await readHistory(tenant, filters, { before: placeOf(kind, cursor), limit });
    const ids = [...new Set(entries.flatMap((entry) => idsInValues(entry, PEOPLE)))].filter(
      (id) => id !== null,
    );
    const people = ids.length > 0 ? await tenant.rows(findNamedPeople, { ids }) : [];
    const page = cursorPageOf(kind, limit, next && [next.at, next.draw]);
    return answer(200, { data: entries, people, page });
  },
});

export const getHistoryActors = operation({
  operationId: 'listHistoryActors',
  summary: 'Keys and removed members that have entries in the history',
  description: 'To filter the history by, in addition to the members; the newest 500 of each.',
  answers: { 200: historyActorsAnswer },
  fails: [],
  async handle({ tenant }) {
    const [people, keys] = await Promise.all([
      tenant.rows(listRemovedInHistory, {}),
      tenant.rows(listKeysInHistory, {}),
    ]);
    return answer(200, { data: [...people, ...keys] });
  },
});

/** @throws {Problem} invalid_request */
function placeOf(kind: string, cursor: string | undefined): HistoryPlace | undefined {
  if (!cursor) return undefined;
  const [at, draw] = decodeCursor(kind, cursor, [isInstant, isInteger]);
  return { at, draw };
}
