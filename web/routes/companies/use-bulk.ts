import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { canBeSentAgain, isConflict, mayBeDone } from '../../client/problem.ts';
import { showAllUnanswered, showUnanswered } from '../../client/unanswered.ts';
import { useToast, type Toast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { changeCompany, changeIfSeen, fieldOf, isSame, type Change } from './change-company.ts';
import type { Row } from './list-query.ts';
import { showInRows } from './use-rows.ts';
import { words } from './words.ts';

/** Rows as they were before the change, with the new ETag. Rows that already had the value are in neither list. */
type Outcome = {
  done: readonly { row: Row; etag: string | undefined }[];
  failed: readonly { row: Row; why: unknown }[];
};

/** By id of a company: the ETag that an earlier change left. */
type Etags = ReadonlyMap<string, string | undefined>;

/** Requests under way at once: the service shares its connections with everybody else. */
const AT_ONCE = 4;

/**
 * By company and field: what the field has after a change; not `isKnown` where an answer did not come, or somebody else
 * has changed it.
 */
type Left = Map<string, { value: Change; isKnown: boolean }>;

/** Bulk changes are made in turn, so that the last choice is stored, also if the bar was closed in between. */
let turn: Promise<unknown> = Promise.resolve();
/** For each change that waits or is under way: what other changes have stored since it was chosen. */
const waiting = new Set<Left>();

/** Changes many companies, each on its own. A message tells of those that could not be changed. */
export function useBulkChange() {
  const said = useWords(words);
  const { undone } = useWords(shared);
  const format = useFormat();
  const problemText = useProblemText();
  const client = useQueryClient();
  const toast = useToast();
  const [pending, setPending] = useState(0);

  const run = async (rows: readonly Row[], to: (row: Row) => Change, over?: Etags): Promise<Outcome> => {
    setPending((count) => count + 1);
    const changes = new Map(rows.map((row) => [row.id, to(row)]));
    const end = showUnanswered(() => showInRows(client, (row) => withChange(row, changes.get(row.id))));
    const outcome = await inTurn((since) => storeAll(rows, changes, since, over));
    end();
    const kept = new Map(outcome.failed.map(({ row }) => [row.id, fieldOf(row, changes.get(row.id)!)]));
    showInRows(client, (row) => withChange(row, kept.get(row.id)));
    showAllUnanswered();
    setPending((count) => count - 1);
    void client.invalidateQueries({ queryKey: ['companies'] });
    return outcome;
  };

  const tell = (text: string, { done, failed }: Outcome, more?: Partial<Toast>) => {
    const unsure = failed.filter(({ why }) => mayBeDone(why)).length;
    const others = failed.filter(({ why }) => isConflict(why)).length;
    const parts = [
      said.changed(format.number(done.length)),
      unsure > 0 && said.maybeChanged(format.number(unsure)),
      others > 0 && said.changedMeanwhile(format.number(others)),
      failed.length > unsure + others && said.notChanged(format.number(failed.length - unsure - others)),
    ];
    const counts = `${parts.filter(Boolean).join(', ')}.`;
    const first = failed.find(({ why }) => !isConflict(why));
    const reason = first ? ` ${problemText(first.why)}` : '';
    toast({ ...(failed.length > 0 ? { kind: 'failed', text: `${counts}${reason}` } : { text }), ...more });
  };

  const change = async (rows: readonly Row[], to: Change) => {
    const outcome = await run(rows, () => to);
    const { done, failed } = outcome;
    const changed = [...done, ...failed.filter(({ why }) => mayBeDone(why))].map(({ row }) => row);
    const back = new Map(changed.map((row) => [row.id, fieldOf(row, to)]));
    const etags = new Map(done.map(({ row, etag }) => [row.id, etag]));
    const undo = async (those: readonly Row[]) => {
      const undoing = await run(those, ({ id }) => back.get(id)!, etags);
      const again = undoing.failed.filter(({ why }) => canBeSentAgain(why) && !isConflict(why));
      const ids = new Set(again.map(({ row }) => row.id));
      const onUndo = () => void undo(those.filter(({ id }) => ids.has(id)));
      tell(undone, undoing, again.length > 0 ? { stays: true, onUndo } : {});
    };
    tell(said.changed(format.number(done.length)), outcome, {
      of: done.map(({ row }) => `company ${row.id}` as const),
      isUndoSafe: true,
      ...(changed.length > 0 && { onUndo: () => void undo(changed.map((row) => ({ ...row, ...to }))) }),
    });
  };
  return { change, isPending: pending > 0 };
}

/** The same row where nothing changes. */
function withChange(row: Row, change: Change | undefined): Row {
  return change ? { ...row, ...change } : row;
}

async function inTurn(work: (since: Left) => Promise<Outcome & { left: Left }>): Promise<Outcome> {
  const since: Left = new Map();
  waiting.add(since);
  const result = turn.then(() => work(since));
  turn = result;
  const { left, ...outcome } = await result;
  waiting.delete(since);
  for (const other of waiting) for (const [field, has] of left) other.set(field, has);
  return outcome;
}

/**
 * @param rows as they were when the change was chosen; those that already have the value are left alone
 * @param since what other changes have stored since then
 * @param over where it is given, only values equal to `rows`, or stored by an earlier change, are overwritten
 */
async function storeAll(
  rows: readonly Row[],
  changes: ReadonlyMap<string, Change>,
  since: Left,
  over?: Etags,
): Promise<Outcome & { left: Left }> {
  const done: { row: Row; etag: string | undefined }[] = [];
  const failed: { row: Row; why: unknown }[] = [];
  const left: Left = new Map();
  const store = async (shown: Row) => {
    const change = changes.get(shown.id)!;
    const field = `${shown.id} ${Object.keys(change)[0]}`;
    const { value, isKnown } = since.get(field) ?? { value: fieldOf(shown, change), isKnown: true };
    const row = withChange(shown, value);
    if (isSame(value, change) && isKnown) return;
    const one = { orgNr: row.orgnr, change, seen: [fieldOf(shown, change), value] };
    try {
      const etag = await (over ? changeIfSeen(one, over.get(row.id)) : changeCompany(one));
      done.push({ row, etag });
      left.set(field, { value: change, isKnown: true });
    } catch (why) {
      failed.push({ row, why });
      left.set(field, { value, isKnown: !mayBeDone(why) && !isConflict(why) });
    }
  };
  const next = rows.toReversed();
  const work = async () => {
    for (let row = next.pop(); row !== undefined; row = next.pop()) await store(row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, left };
}
