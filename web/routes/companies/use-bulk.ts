import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { useToast, type Toast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { Row } from './list-query.ts';
import { showInRows } from './use-rows.ts';
import { words } from './words.ts';

/** One of these, for every chosen company. */
type Change = Partial<Pick<Row, 'status' | 'assigned_to' | 'is_archived'>>;

/** Requests under way at once: the service shares its connections with everybody else. */
const AT_ONCE = 4;

/** Changes many companies, each on its own: what cannot be changed leaves the others changed, and is told. */
export function useBulkChange() {
  const said = useWords(words);
  const { undone } = useWords(shared);
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const [isPending, setIsPending] = useState(false);

  const run = async (changes: ReadonlyMap<string, Change>, rows: readonly Row[]) => {
    setIsPending(true);
    showInRows(client, (row) => ({ ...row, ...changes.get(row.id) }));
    const done: Row[] = [];
    const left = rows.toReversed();
    const work = async () => {
      for (let row = left.pop(); row !== undefined; row = left.pop()) {
        if (await isChanged(row.orgnr, changes.get(row.id)!)) done.push(row);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setIsPending(false);
    void client.invalidateQueries({ queryKey: ['companies'] });
    return done;
  };

  const tell = (text: string, done: number, failed: number, more?: Partial<Toast>) =>
    toast({
      ...(failed > 0
        ? {
            kind: 'failed',
            text: `${said.changed(format.number(done))}, ${said.notChanged(format.number(failed))}`,
          }
        : { text }),
      ...more,
    });

  const undo = async (back: ReadonlyMap<string, Change>, rows: readonly Row[]) => {
    const done = await run(back, rows);
    tell(undone, done.length, rows.length - done.length);
  };

  const change = async (rows: readonly Row[], to: Change) => {
    const [field] = Object.keys(to) as (keyof Change)[];
    const others = rows.filter((row) => row[field!] !== to[field!]);
    const done = await run(new Map(others.map(({ id }) => [id, to])), others);
    const failed = others.length - done.length;
    const back = new Map(done.map((row) => [row.id, { [field!]: row[field!] }]));
    tell(said.changed(format.number(done.length)), done.length, failed, {
      of: done.map(({ id }) => `company ${id}` as const),
      ...(done.length > 0 && { onUndo: () => void undo(back, done) }),
    });
  };
  return { change, isPending };
}

async function isChanged(orgNr: string, { is_archived: archived, ...body }: Change): Promise<boolean> {
  const params = { params: { orgNr } };
  try {
    if (archived === undefined) await call('PATCH /companies/{orgNr}', { ...params, body });
    else if (archived) await call('POST /companies/{orgNr}/archive', params);
    else await call('POST /companies/{orgNr}/unarchive', params);
    return true;
  } catch {
    // Counted by the caller; the list shows again what the company is.
    return false;
  }
}
