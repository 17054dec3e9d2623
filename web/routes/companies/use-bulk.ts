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

/** Changes of several are made in turn, so that what is chosen last is stored, also after the bar was closed between. */
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** By company: what finished changes have stored, for changes that were chosen before they finished. */
const left = new Map<string, Change>();
/** Companies whose value is not known: an answer did not come, or somebody else has changed them. */
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

  const run = async (rows: readonly Row[], to: (row: Row) => Change, over?: Etags): Promise<Outcome> => {
    setPending((count) => count + 1);
    const changes = new Map(rows.map((row) => [row.id, to(row)]));
    const end = showUnanswered(() => showInRows(client, (row) => withChange(row, changes.get(row.id))));
    const outcome = await inTurn(() => storeAll(rows, changes, over));
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
      // Names no record: a change by somebody else must not remove the only Undo of the rest.
      tell(undone, undoing, again.length > 0 ? { stays: true, onUndo } : {});
    };
    tell(said.changed(format.number(done.length)), outcome, {
      of: done.map(({ row }) => `company ${row.id}` as const),
      ...(changed.length > 0 && { onUndo: () => void undo(changed.map((row) => ({ ...row, ...to }))) }),
    });
  };
  return { change, isPending: pending > 0 };
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

/**
 * @param rows as they were when the change was chosen; those that already have the value are left alone
 * @param over where it is given, only values equal to `rows`, or stored by an earlier change, are overwritten
 */
async function storeAll(
  rows: readonly Row[],
  changes: ReadonlyMap<string, Change>,
  over?: Etags,
): Promise<Outcome> {
  const done: { row: Row; etag: string | undefined }[] = [];
  const failed: { row: Row; why: unknown }[] = [];
  const store = async (shown: Row) => {
    const row = withChange(shown, left.get(shown.id));
    const change = changes.get(row.id)!;
    const was = fieldOf(row, change);
    if (isSame(was, change) && !unknown.has(row.id)) return;
    const one = { orgNr: row.orgnr, change, seen: [fieldOf(shown, change), was] };
    try {
      const etag = await (over ? changeIfSeen(one, over.get(row.id)) : changeCompany(one));
      done.push({ row, etag });
      unknown.delete(row.id);
      left.set(row.id, { ...left.get(row.id), ...change });
    } catch (why) {
      failed.push({ row, why });
      left.set(row.id, { ...left.get(row.id), ...was });
      if (mayBeDone(why) || isConflict(why)) unknown.add(row.id);
    }
  };
  const next = rows.toReversed();
  const work = async () => {
    for (let row = next.pop(); row !== undefined; row = next.pop()) await store(row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed };
}
