import type { Tenant } from '../db/tenant.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { answer, operation, type Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { unauthorized } from '../http/unauthorized.ts';
import { namesOf, type PermissionName } from '../keys/permissions.ts';
import { changesAnswer, changesQuery, NO_PLACE, RESOURCES, type Resource } from './schema.ts';
import {
  findPlace,
  listChanges,
  numberCommitted,
  type LogPlace,
  type NewEntries,
  type StoredEntry,
} from './store.ts';
import type { Waits } from './waits.ts';

const READS: Record<Resource, readonly PermissionName[]> = {
  company: ['companies:read'],
  note: ['companies:read'],
  contact: ['contacts:read'],
  point: ['contacts:read'],
  link: ['contacts:read', 'companies:read'],
  task: ['tasks:read'],
  offer: ['offers:read'],
};

/** Milliseconds between two checks of the key of a waiting request; each may need a query. */
const KEY_CHECK_MS = 300;

export const getChanges = (waits: Waits) =>
  operation({
    operationId: 'listChanges',
    summary: 'Read what changed',
    description:
      'One entry for each committed change, in order: read with the cursor of the previous answer, and store it together with your result, so that no entry is missed or processed twice. The key sees the entries it has the read permissions for: `note` needs companies, `point` contacts, `link` both. Entries are kept for 90 days by default; an older cursor is 410 `cursor_expired`: start again with `cursor=now` and read the lists.',
    tag: 'Changes',
    query: changesQuery,
    outcomes: { 200: 'Entries after the cursor; empty when there are none.' },
    answers: { 200: changesAnswer },
    fails: ['cursor_expired'],
    addition: true,
    async handle({ query, caller, tenant, isGone, stepAside }) {
      const resources = readable(caller, query.resource);
      const read = (place: LogPlace | undefined) => readPage(tenant, resources, place, query.limit);
      const page = query.cursor === 'now' ? await endOf(tenant) : await read(placeOf(query.cursor));
      const deadline = performance.now() + query.wait * 1_000;
      if (page.entries.length > 0 || query.wait === 0) return shown(page, query.limit);
      return waits.asOne(caller, deadline, async () => {
        stepAside();
        let now = page;
        let checkedAt = performance.now();
        while (now.entries.length === 0 && performance.now() < deadline && !waits.isClosing && !isGone()) {
          const found = await waits.next(tenant, now.next.id);
          if (performance.now() - checkedAt > KEY_CHECK_MS) {
            if (!(await caller.isStillGood())) throw unauthorized('Bearer revoked');
            checkedAt = performance.now();
          }
          if (found) now = await readNewEntries(tenant, resources, now.next, found, query.limit);
        }
        return shown(now, query.limit);
      });
    },
  });

type Page = { entries: StoredEntry[]; hasMore: boolean; next: LogPlace };

function shown({ entries, hasMore, next }: Page, limit: number) {
  const data = entries.map(({ salt: _salt, ...entry }) => entry);
  const next_cursor = encodeCursor('changes', [next.id, next.salt]);
  return answer(200, { data, page: { size: limit, has_more: hasMore, next_cursor } });
}

/** The position of a cursor; undefined for the oldest entry kept. */
function placeOf(cursor: string | undefined): LogPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [id, salt] = decodeCursor('changes', cursor, [isCount, isCount], NO_PLACE);
  return { id, salt };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

async function endOf(tenant: Tenant): Promise<Page> {
  const { end } = await numberCommitted(tenant, { toEnd: true, mayLag: true });
  return { entries: [], hasMore: false, next: end };
}

/** The entries for a waiting request, whose place was valid when it began to wait. */
async function readNewEntries(
  tenant: Tenant,
  resources: readonly Resource[],
  place: LogPlace,
  { end, resources: touched }: NewEntries,
  limit: number,
): Promise<Page> {
  if (end.id <= place.id) return { entries: [], hasMore: false, next: place };
  const wanted = resources.filter((resource) => touched.has(resource));
  if (wanted.length === 0) return { entries: [], hasMore: false, next: end };
  const asked = { resources: wanted, after: place.id, until: end.id, limit: limit + 1 };
  return pageOf(await tenant.rows(listChanges, asked), end, limit);
}

function pageOf(entries: Page['entries'], end: LogPlace, limit: number, isBehind = false): Page {
  const kept = entries.slice(0, limit);
  const last = entries.length > limit ? kept.at(-1) : undefined;
  // Everything up to the end is numbered, so later entries come after it.
  const next = last ? { id: last.id, salt: last.salt } : end;
  return { entries: kept, hasMore: last !== undefined || isBehind, next };
}

/** @throws {Problem} cursor_expired */
async function readPage(
  tenant: Tenant,
  resources: readonly Resource[],
  place: LogPlace | undefined,
  limit: number,
): Promise<Page> {
  const { oldest, end, isBehind } = await numberCommitted(tenant, { toEnd: false, mayLag: true });
  if (place?.id === end.id && place.salt === end.salt) return { entries: [], hasMore: isBehind, next: end };
  const asked = { resources, after: place?.id ?? oldest, until: end.id, limit: limit + 1 };
  const entries = await tenant.rows(listChanges, asked);
  // Checked last, so that entries removed during the read are noticed.
  if (place && !(await tenant.row(findPlace, place))!.is_kept) throw cursorExpired();
  return pageOf(entries, end, limit, isBehind);
}

function readable({ permissions }: Caller, wanted: Resource | undefined): Resource[] {
  const granted = new Set(namesOf(permissions));
  return RESOURCES.filter(
    (resource) =>
      (wanted === undefined || resource === wanted) && READS[resource].every((name) => granted.has(name)),
  );
}

function cursorExpired(): Problem {
  return new Problem(
    'cursor_expired',
    'The cursor is older than the entries kept or of another workspace, or the database was restored from a backup: use cursor=now, read the lists again, and continue from that cursor',
  );
}
