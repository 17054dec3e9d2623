import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Client } from '../client.ts';
import {
  ANY_TYPE,
  BLANK,
  EMAILS,
  INSTANTS,
  NOT_EMAILS,
  NOT_INSTANTS,
  NOT_UUIDS,
  TEXTS,
  UNSTORABLE,
  UUIDS,
} from '../corpora.ts';
import type { Operation } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { judge } from '../promises.ts';
import type { Workspace } from '../workspace.ts';
import { takeNotes, type Outcome } from './outcome.ts';
import { openStage } from './stage.ts';

type Case = { path: string; body: unknown; query: Record<string, string>; isPathOdd: boolean };

const AT_ONCE = 16;
/** Requests after which an operation gets another row to work on. */
const PER_ROW = 500;

/** Test 7: random requests for each operation. None may cause a 5xx, and each answer must fit the description. */
export async function tryCases({
  cases,
  seed = Date.now() % 2 ** 31,
}: {
  cases: number;
  seed?: number;
}): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage({ settings: { synchronous_commit: 'off' } });
  const service = await stage.service({ LOG_LEVEL: 'error' });
  const workspace = await stage.workspace(service);
  const client = service.client(workspace.client.token, judge);
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let sent = 0;
  for (const operation of OPERATIONS) {
    for (let done = 0; done < cases; done += PER_ROW) {
      const count = Math.min(PER_ROW, cases - done);
      const made = fc.sample(await caseOf(operation, workspace), { numRuns: count, seed: seed + done });
      const waiting = made.values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const each of waiting) {
            sent += 1;
            const fault = await tryOne(client, operation, each, statuses);
            if (fault !== undefined) faults.push(fault);
          }
        }),
      );
    }
  }
  notes.note('seed', seed);
  notes.note(`${OPERATIONS.length} operations, requests`, sent);
  notes.note(
    'answers',
    [...statuses]
      .toSorted(([one], [other]) => one - other)
      .map(([status, count]) => `${status} × ${count}`)
      .join(', '),
  );
  notes.demand(faults.length === 0, '5xx, undocumented or out of schema', faults.slice(0, 5));
  notes.demand(service.isRunning(), 'process alive', service.isRunning());
  return notes;
}

/** @returns what is wrong with the answer, if anything */
async function tryOne(
  client: Client,
  { route }: Operation,
  { path, body, query, isPathOdd }: Case,
  statuses: Map<number, number>,
): Promise<string | undefined> {
  const method = route.split(' ')[0]!;
  const entries = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
  );
  const joint = path.includes('?') ? '&' : '?';
  const whole = entries.length === 0 ? path : path + joint + entries.join('&');
  const content = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(body);
  const headers = content === undefined ? {} : { 'content-type': 'application/json' };
  for (;;) {
    try {
      const { status } = await client.send({ method, path: whole, headers, body: content });
      if (status === 503) {
        await sleep(20);
        continue;
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status >= 500 ? `${method} ${whole} ${content}: ${status}` : undefined;
    } catch (error) {
      // An odd path may be one that the description does not declare.
      if (isPathOdd && String(error).includes('does not declare')) return undefined;
      return `${method} ${whole} ${content}: ${String(error).slice(0, 300)}`;
    }
  }
}

const ODD_TEXT = fc.constantFrom(
  ...TEXTS,
  ...UNSTORABLE,
  ...BLANK,
  ...UUIDS,
  ...NOT_UUIDS,
  ...INSTANTS.map(([sent]) => sent),
  ...NOT_INSTANTS,
  ...EMAILS,
  ...NOT_EMAILS,
);
const ODD_NUMBER = fc.constantFrom(-1, 0, 1, 1.5, 100, 101, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e20, 1e308);
const ANYTHING = fc.oneof(
  { weight: 4, arbitrary: ODD_TEXT },
  { weight: 2, arbitrary: ODD_NUMBER },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...ANY_TYPE) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const QUERY_NAMES = [
  'limit',
  'offset',
  'cursor',
  'q',
  'sort',
  'status',
  'assigned_to',
  'archived',
  'email',
].concat([
  'company_id',
  'user_id',
  'completed',
  'due_from',
  'due_before',
  'updated_since',
  'include',
  'resource',
  'x',
]);
const GOOD_QUERY = fc.constantFrom(
  '1',
  '25',
  '100',
  '0',
  'id',
  'name',
  '-updated_at',
  'true',
  'new',
  'now',
  '',
  'none',
);

/** A body that works with some fields made odd, or any JSON; a path that works, or one whose last segment is odd. */
async function caseOf(operation: Operation, workspace: Workspace): Promise<fc.Arbitrary<Case>> {
  const path = await operation.path(workspace);
  const sample = (await operation.sample?.(workspace)) ?? {};
  const names = [...Object.keys(operation.body ?? {}), 'unknown'];
  const odd = fc.dictionary(fc.constantFrom(...names), ANYTHING, { maxKeys: 3 });
  const body = fc.oneof(
    { weight: 8, arbitrary: odd.map((fields): unknown => ({ ...sample, ...fields })) },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const query = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: operation.route.startsWith('GET') ? 6 : 1,
      arbitrary: fc.dictionary(fc.constantFrom(...QUERY_NAMES), fc.oneof(GOOD_QUERY, ODD_TEXT), {
        maxKeys: 3,
      }),
    },
  );
  const place = path.split('?')[0]!;
  const oddPath = ODD_TEXT.map((text) => {
    const parts = place.split('/');
    return [...parts.slice(0, -1), encodeURIComponent(text.toWellFormed())].join('/');
  });
  const target = fc.oneof(
    { weight: 7, arbitrary: fc.constant({ path, isPathOdd: false }) },
    { weight: 1, arbitrary: oddPath.map((each) => ({ path: each, isPathOdd: true })) },
  );
  return fc.record({ target, body, query }).map(({ target: where, ...rest }) => ({ ...where, ...rest }));
}
