import type { useDraft } from './drafts.ts';
import { isProblem } from './problem.ts';

/** What a form knows of its tries, from `useDraft`. */
export type Tries = Pick<
  ReturnType<typeof useDraft>,
  'idOf' | 'keyOf' | 'othersSent' | 'newestBefore' | 'forgetSent'
>;

/**
 * Creates something under an id that was made here. If the id is used already, an earlier try created it and its
 * answer was lost.
 * @returns whether it is new
 */
export async function createUnlessThere(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (isProblem(error, 'id_already_used')) return false;
    throw error;
  }
}

/**
 * Creates something from a form; can be called again when no answer came. What an earlier try created is changed to
 * what the form has now, or created again if it was deleted since. If the form was not corrected, changes by others
 * stay.
 * @param tries of the form
 * @param name as for `idOf`
 * @returns its id
 */
export async function createOrCorrect(
  body: unknown,
  { idOf, keyOf, othersSent, forgetSent }: Tries,
  name: string | undefined,
  {
    create,
    read,
    correct,
  }: {
    create: (id: string, idempotencyKey: string) => Promise<{ isReplayed: boolean }>;
    read: (id: string) => Promise<unknown>;
    correct: (id: string) => Promise<unknown>;
  },
): Promise<string> {
  const id = idOf(name);
  const answer = await create(id, keyOf(body)).catch((error: unknown) => {
    if (!isProblem(error, 'id_already_used')) throw error;
    return undefined;
  });
  if (answer && !answer.isReplayed) return id;
  try {
    await (answer && othersSent(body).length === 0 ? read(id) : correct(id));
    return id;
  } catch (error) {
    if (!isProblem(error, 'not_found')) throw error;
    forgetSent();
    const next = idOf(name);
    await create(next, keyOf(body));
    return next;
  }
}

/**
 * Adds a row whose id the service chooses, from a form; can be called again when no answer came. A row that an earlier
 * try added is found among the new rows by what that try sent, and changed to what is wanted now.
 * @param wanted what is sent; its keys are names of a row's fields
 * @param rows a name for the rows that `list` gives
 * @param add stores a new row, and gives its id, which is larger than all before
 * @param list gives the rows among which an added row is, the newest last
 * @returns the id of the row
 */
export async function addOrCorrect<Row extends { id: number }>(
  wanted: Record<string, unknown>,
  { keyOf, othersSent, newestBefore }: Pick<Tries, 'keyOf' | 'othersSent' | 'newestBefore'>,
  {
    rows,
    add,
    list,
    correct,
  }: {
    rows: string;
    add: (idempotencyKey: string) => Promise<{ data: { data: { id: number } } }>;
    list: () => Promise<readonly Row[]>;
    correct: (id: number) => Promise<unknown>;
  },
): Promise<number> {
  const stored = await list();
  const before = newestBefore(rows, stored.at(-1)?.id ?? 0);
  const idempotencyKey = keyOf(wanted);
  const sent = [wanted, ...othersSent(wanted)];
  const is = (row: Row) => (one: Record<string, unknown>) =>
    Object.entries(one).every(([name, value]) => row[name as keyof Row] === value);
  const found = stored.findLast((row) => row.id > before && sent.some(is(row)));
  if (!found) return (await add(idempotencyKey)).data.data.id;
  if (!is(found)(wanted)) await correct(found.id);
  return found.id;
}
