import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { canBeSentAgain, isProblem, mayBeDone } from '../../client/problem.ts';
import { showAllUnanswered, showUnanswered } from '../../client/unanswered.ts';
import { useToast, type Toast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import type { Row } from './list-query.ts';
import { showInRows } from './use-rows.ts';
import { words } from './words.ts';

/** One of these, for every chosen company. */
type Change = Partial<Pick<Row, 'status' | 'assigned_to' | 'is_archived'>>;

/**
 * `done`, and `unsure`, whose answer did not come: as they were before. `failed`: what they have still, by id, with the
 * unsure ones. `error`: why the first of those failed.
 */
type Outcome = {
  done: readonly Row[];
  unsure: readonly Row[];
  failed: ReadonlyMap<string, Change>;
  error: unknown;
};

/** Requests under way at once: the service shares its connections with everybody else. */
const AT_ONCE = 4;

/** Changes of several are made in turn, so that what is chosen last is stored, also after the bar was closed between. */
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** How those that are over left their companies, for those that were chosen before that. */
const left = new Map<string, Change>();
/** Companies that may have been left otherwise, since an answer did not come. */
const unknown = new Set<string>();

/** Changes many companies, each on its own: what cannot be changed leaves the others changed, and is told. */
export function useBulkChange() {
  const said = useWords(words);
  const { undone } = useWords(shared);
  const format = useFormat();
  const problemText = useProblemText();
  const client = useQueryClient();
  const toast = useToast();
  const [pending, setPending] = useState(0);

  const run = async (rows: readonly Row[], to: (row: Row) => Change): Promise<Outcome> => {
    setPending((count) => count + 1);
    const changes = new Map(rows.map((row) => [row.id, to(row)]));
    const end = showUnanswered(() => showInRows(client, (row) => withChange(row, changes.get(row.id))));
    const outcome = await inTurn(() => storeAll(rows, changes));
    end();
    showInRows(client, (row) => withChange(row, outcome.failed.get(row.id)));
    showAllUnanswered();
    setPending((count) => count - 1);
    void client.invalidateQueries({ queryKey: ['companies'] });
    return outcome;
  };

  const tell = (text: string, { done, unsure, failed, error }: Outcome, more?: Partial<Toast>) => {
    const parts = [
      said.changed(format.number(done.length)),
      unsure.length > 0 && said.maybeChanged(format.number(unsure.length)),
      failed.size > unsure.length && said.notChanged(format.number(failed.size - unsure.length)),
    ];
    const counts = `${parts.filter(Boolean).join(', ')}.`;
    toast({
      ...(failed.size > 0 ? { kind: 'failed', text: `${counts} ${problemText(error)}` } : { text }),
      ...more,
    });
  };

  const change = async (rows: readonly Row[], to: Change) => {
    const outcome = await run(rows, () => to);
    const { done, unsure } = outcome;
    const changed = [...done, ...unsure];
    const back = new Map(changed.map((row) => [row.id, fieldOf(row, to)]));
    const undo = async (those: readonly Row[]) => {
      const undoing = await run(those, ({ id }) => back.get(id)!);
      const rest = those.filter(({ id }) => undoing.failed.has(id));
      const again = canBeSentAgain(undoing.error) && { stays: true, onUndo: () => void undo(rest) };
      tell(undone, undoing, { ...again });
    };
    tell(said.changed(format.number(done.length)), outcome, {
      of: done.map(({ id }) => `company ${id}` as const),
      ...(changed.length > 0 && { onUndo: () => void undo(changed.map((row) => ({ ...row, ...to }))) }),
    });
  };
  return { change, isPending: pending > 0 };
}

/** What the row has where the change has something else. */
function fieldOf(row: Row, change: Change): Change {
  const [field] = Object.keys(change) as (keyof Change)[];
  return { [field!]: row[field!] };
}

/** The same row where nothing changes. */
function withChange(row: Row, change: Change | undefined): Row {
  return change ? { ...row, ...change } : row;
}

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  waiting += 1;
  const result = turn.then(work);
  turn = result;
  try {
    return await result;
  } finally {
    waiting -= 1;
    if (waiting === 0) {
      left.clear();
      unknown.clear();
    }
  }
}

/** @param rows as they were when the change was chosen; those that have it already are left alone */
async function storeAll(rows: readonly Row[], changes: ReadonlyMap<string, Change>): Promise<Outcome> {
  const others = rows
    .map((row) => withChange(row, left.get(row.id)))
    .filter((row) => {
      const change = changes.get(row.id)!;
      return unknown.has(row.id) || JSON.stringify(fieldOf(row, change)) !== JSON.stringify(change);
    });
  const done: Row[] = [];
  const unsure: Row[] = [];
  const failed = new Map<string, Change>();
  let error: unknown;
  const next = others.toReversed();
  const work = async () => {
    for (let row = next.pop(); row !== undefined; row = next.pop()) {
      const change = changes.get(row.id)!;
      try {
        await store(row.orgnr, change);
        done.push(row);
        unknown.delete(row.id);
        left.set(row.id, { ...left.get(row.id), ...change });
      } catch (why) {
        failed.set(row.id, fieldOf(row, change));
        left.set(row.id, { ...left.get(row.id), ...failed.get(row.id) });
        if (mayBeDone(why)) {
          unsure.push(row);
          unknown.add(row.id);
        }
        error ??= why;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, unsure, failed, error };
}

/** Sent once more where its answer does not come: it is the same however often. */
async function store(orgNr: string, change: Change): Promise<void> {
  try {
    await send(orgNr, change);
  } catch (error) {
    // A service that turns requests away is not asked again at once.
    if (!mayBeDone(error) || isProblem(error, 'temporarily_unavailable')) throw error;
    await send(orgNr, change);
  }
}

async function send(orgNr: string, { is_archived: archived, ...body }: Change): Promise<void> {
  const params = { params: { orgNr } };
  if (archived === undefined) await call('PATCH /companies/{orgNr}', { ...params, body });
  else if (archived) await call('POST /companies/{orgNr}/archive', params);
  else await call('POST /companies/{orgNr}/unarchive', params);
}
