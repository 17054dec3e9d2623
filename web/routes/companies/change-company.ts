import { call } from '../../client/call.ts';
import { Conflict, isConflict, isProblem, mayBeDone } from '../../client/problem.ts';
import type { Row } from './list-query.ts';

type Fields = Pick<Row, 'status' | 'assigned_to' | 'is_archived'>;

/** A change of one of these fields. */
export type Change = Partial<Fields>;

type Write = {
  orgNr: string;
  change: Change;
  /** Values that the field may have now, as far as this page knows. */
  seen: readonly Change[];
};

/** The company can change again after it was read; with a proxy that alters ETags, every try would be refused. */
const MAX_TRIES = 3;

/**
 * Changes a company whatever the field has now. Where no answer comes, sends it again as `changeIfSeen` does.
 * @returns the ETag of what is stored
 * @throws {Conflict} somebody else has changed the field before it was sent again
 */
export async function changeCompany(write: Write): Promise<string | undefined> {
  return sendTwice(write, () => send(write));
}

/**
 * Changes a company as long as the field has a value that was seen.
 * @param etag of an answer that had such a value; without it, the company is read first
 * @returns the ETag of what is stored
 * @throws {Conflict} somebody else has changed the field
 */
export async function changeIfSeen(write: Write, etag?: string): Promise<string | undefined> {
  return sendTwice(write, () => sendIfSeen(write, etag));
}

async function sendTwice(write: Write, first: () => Promise<string | undefined>) {
  try {
    return await first();
  } catch (error) {
    // A service that turns requests away is not asked again at once.
    if (!mayBeDone(error) || isProblem(error, 'temporarily_unavailable')) throw error;
    return sendIfSeen(write).catch((second: unknown) => {
      // What is refused now may have been carried out before.
      throw isConflict(second) ? second : error;
    });
  }
}

async function sendIfSeen(write: Write, known?: string): Promise<string | undefined> {
  let etag = known;
  for (let tries = 1; ; tries += 1) {
    if (etag === undefined) {
      const stored = await call('GET /companies/{orgNr}', { params: { orgNr: write.orgNr } });
      const has = fieldOf(stored.data.data, write.change);
      if (isSame(has, write.change)) return stored.etag;
      if (!write.seen.some((each) => isSame(has, each))) throw new Conflict();
      etag = stored.etag;
    }
    try {
      return await send(write, etag);
    } catch (error) {
      if (!isProblem(error, 'precondition_failed') || tries === MAX_TRIES) throw error;
      etag = undefined;
    }
  }
}

/** Archiving takes no If-Match, and needs none: there is no third value that it could overwrite. */
async function send({ orgNr, change }: Write, ifMatch?: string): Promise<string | undefined> {
  const { is_archived: archived, ...body } = change;
  const params = { params: { orgNr } };
  if (archived === undefined)
    return (await call('PATCH /companies/{orgNr}', { ...params, body, ifMatch })).etag;
  const route = archived ? 'POST /companies/{orgNr}/archive' : 'POST /companies/{orgNr}/unarchive';
  return (await call(route, params)).etag;
}

/** The field of the change, with the value that the company has. */
export function fieldOf(company: Fields, change: Change): Change {
  const [field] = Object.keys(change) as (keyof Change)[];
  return { [field!]: company[field!] };
}

export function isSame(one: Change, other: Change): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
