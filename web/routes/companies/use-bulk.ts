import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
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

/** `error`: why the first of those failed. */
type Outcome = { done: readonly Row[]; failed: number; error: unknown };

/** Requests under way at once: the service shares its connections with everybody else. */
const AT_ONCE = 4;

/** Changes many companies, each on its own: what cannot be changed leaves the others changed, and is told. */
export function useBulkChange() {
  const said = useWords(words);
  const { undone } = useWords(shared);
  const format = useFormat();
  const problemText = useProblemText();
  const client = useQueryClient();
  const toast = useToast();
  const [isPending, setIsPending] = useState(false);

  const run = async (changes: ReadonlyMap<string, Change>, rows: readonly Row[]): Promise<Outcome> => {
    setIsPending(true);
    showInRows(client, (row) => ({ ...row, ...changes.get(row.id) }));
    const done: Row[] = [];
    const failed = new Map<string, Row>();
    let error: unknown;
    const left = rows.toReversed();
    const work = async () => {
      for (let row = left.pop(); row !== undefined; row = left.pop()) {
        try {
          await store(row.orgnr, changes.get(row.id)!);
          done.push(row);
        } catch (why) {
          failed.set(row.id, row);
          error ??= why;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    showInRows(client, (row) => {
      const before = failed.get(row.id);
      const fields = Object.keys(changes.get(row.id) ?? {}) as (keyof Change)[];
      return before ? { ...row, ...Object.fromEntries(fields.map((field) => [field, before[field]])) } : row;
    });
    setIsPending(false);
    void client.invalidateQueries({ queryKey: ['companies'] });
    return { done, failed: failed.size, error };
  };

  const tell = (text: string, { done, failed, error }: Outcome, more?: Partial<Toast>) => {
    const counts = `${said.changed(format.number(done.length))}, ${said.notChanged(format.number(failed))}.`;
    toast({
      ...(failed > 0 ? { kind: 'failed', text: `${counts} ${problemText(error)}` } : { text }),
      ...more,
    });
  };

  const undo = async (back: ReadonlyMap<string, Change>, rows: readonly Row[]) =>
    tell(undone, await run(back, rows));

  const change = async (rows: readonly Row[], to: Change) => {
    const [field] = Object.keys(to) as (keyof Change)[];
    const others = rows.filter((row) => row[field!] !== to[field!]);
    const outcome = await run(new Map(others.map(({ id }) => [id, to])), others);
    const { done } = outcome;
    const back = new Map(done.map((row) => [row.id, { [field!]: row[field!] }]));
    tell(said.changed(format.number(done.length)), outcome, {
      of: done.map(({ id }) => `company ${id}` as const),
      ...(done.length > 0 && { onUndo: () => void undo(back, done) }),
    });
  };
  return { change, isPending };
}

async function store(orgNr: string, { is_archived: archived, ...body }: Change): Promise<void> {
  const params = { params: { orgNr } };
  if (archived === undefined) await call('PATCH /companies/{orgNr}', { ...params, body });
  else if (archived) await call('POST /companies/{orgNr}/archive', params);
  else await call('POST /companies/{orgNr}/unarchive', params);
}
