import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
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

/** `done`: as they were before. `error`: why the first of those failed. */
type Outcome = { done: readonly Row[]; failed: number; error: unknown };

/** Requests under way at once: the service shares its connections with everybody else. */
const AT_ONCE = 4;

/** Changes of several are made in turn, so that what is chosen last is stored, also after the bar was closed between. */
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** How those that are over left their companies, for those that were chosen before that. */
const left = new Map<string, Change>();

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
    const { failed, ...outcome } = await inTurn(() => storeAll(rows, changes));
    end();
    showInRows(client, (row) => withChange(row, failed.get(row.id)));
    showAllUnanswered();
    setPending((count) => count - 1);
    void client.invalidateQueries({ queryKey: ['companies'] });
    return { ...outcome, failed: failed.size };
  };

  const tell = (text: string, { done, failed, error }: Outcome, more?: Partial<Toast>) => {
    const counts = `${said.changed(format.number(done.length))}, ${said.notChanged(format.number(failed))}.`;
    toast({
      ...(failed > 0 ? { kind: 'failed', text: `${counts} ${problemText(error)}` } : { text }),
      ...more,
    });
  };

  const change = async (rows: readonly Row[], to: Change) => {
    const outcome = await run(rows, () => to);
    const { done } = outcome;
    const back = new Map(done.map((row) => [row.id, fieldOf(row, to)]));
    const undo = async () => {
      const changed = done.map((row) => ({ ...row, ...to }));
      tell(undone, await run(changed, ({ id }) => back.get(id)!));
    };
    tell(said.changed(format.number(done.length)), outcome, {
      of: done.map(({ id }) => `company ${id}` as const),
      ...(done.length > 0 && { onUndo: () => void undo() }),
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
    if (waiting === 0) left.clear();
  }
}

/** @param rows as they were when the change was chosen; those that have it already are left alone */
async function storeAll(rows: readonly Row[], changes: ReadonlyMap<string, Change>) {
  const others = rows
    .map((row) => withChange(row, left.get(row.id)))
    .filter(
      (row) => JSON.stringify(fieldOf(row, changes.get(row.id)!)) !== JSON.stringify(changes.get(row.id)),
    );
  const done: Row[] = [];
  /** What they have still. */
  const failed = new Map<string, Change>();
  let error: unknown;
  const next = others.toReversed();
  const work = async () => {
    for (let row = next.pop(); row !== undefined; row = next.pop()) {
      const change = changes.get(row.id)!;
      try {
        await store(row.orgnr, change);
        done.push(row);
        left.set(row.id, { ...left.get(row.id), ...change });
      } catch (why) {
        failed.set(row.id, fieldOf(row, change));
        left.set(row.id, { ...left.get(row.id), ...failed.get(row.id) });
        error ??= why;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, error };
}

async function store(orgNr: string, { is_archived: archived, ...body }: Change): Promise<void> {
  const params = { params: { orgNr } };
  if (archived === undefined) await call('PATCH /companies/{orgNr}', { ...params, body });
  else if (archived) await call('POST /companies/{orgNr}/archive', params);
  else await call('POST /companies/{orgNr}/unarchive', params);
}
