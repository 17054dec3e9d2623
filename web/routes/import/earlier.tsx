import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Import, ListedImport } from '../../../src/imports/schema.ts';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Entry, EntryList } from '../../components/entry-list.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Time } from '../../components/time.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { Kept } from './kept.tsx';
import { Progress } from './progress.tsx';
import { sendPatiently } from './send.ts';
import { words } from './words.ts';

const importsQuery = queryOf('GET /imports');

/** How often the page asks whether somebody else's import still goes on. */
const ASK_AGAIN_MS = 15_000;

/**
 * Earlier imports, to continue or to undo.
 * @param own the id of this page's import: while this list is shown, it is finished or has stopped
 */
export function Earlier({
  own,
  onResume,
}: {
  own: string | undefined;
  onResume: (interrupted: Import) => void;
}) {
  const said = useWords(words);
  const { user } = useSession();
  const isElsewhere = (one: ListedImport) =>
    one.is_under_way && isPartial(one) && one.user_id !== user.id && one.id !== own;
  const { data, error, refetch } = useQuery({
    ...importsQuery,
    refetchInterval: ({ state }) => (state.data?.data.data.some(isElsewhere) ? ASK_AGAIN_MS : false),
  });
  const undoing = useUndo();
  const imports = data?.data.data;
  return (
    <section className="import-earlier" aria-labelledby="import-earlier">
      <h2 id="import-earlier">{said.earlier}</h2>
      {error && !imports && <ErrorState error={error} onRetry={() => void refetch()} />}
      {imports?.length === 0 && <Empty>{said.none}</Empty>}
      {undoing.progress !== undefined && <Progress label={said.undoing} value={undoing.progress} />}
      <EntryList className="import-list">
        {imports?.map((one) => (
          <Line
            key={one.id}
            done={one}
            isElsewhere={isElsewhere(one)}
            isBusy={undoing.progress !== undefined}
            onResume={() => onResume(one)}
            onUndo={() => undoing.ask(one)}
          />
        ))}
      </EntryList>
      {undoing.asked && (
        <ConfirmDialog
          title={said.undoTitle(undoing.asked.file_name)}
          action={said.undoAction}
          onConfirm={() => void undoing.run()}
          onClose={() => undoing.ask(undefined)}
        >
          {said.undoWhat}
        </ConfirmDialog>
      )}
    </section>
  );
}

function readOf({ created_count, updated_count, unchanged_count, refused_count }: Import): number {
  return created_count + updated_count + unchanged_count + refused_count;
}

function isPartial(one: Import): boolean {
  return readOf(one) < one.row_count && one.undone_at === null;
}

function Line({
  done,
  isElsewhere,
  isBusy,
  onResume,
  onUndo,
}: {
  done: ListedImport;
  /** Whether somebody else is running this import now: undoing would stop it. */
  isElsewhere: boolean;
  isBusy: boolean;
  onResume: () => void;
  onUndo: () => void;
}) {
  const said = useWords(words);
  const format = useFormat();
  const { created_count: created, updated_count: updated } = done;
  const { undone_count: undone, kept_count: kept, refused_count: refused } = done;
  const names = { company: said.companies, contact: said.contacts, offer: said.offers };
  const isStopped = isPartial(done) && !isElsewhere;
  const progress = [format.number(readOf(done)), format.number(done.row_count)] as const;
  const counts = [
    [said.created, created],
    [said.updated, updated],
    [said.unchanged, done.unchanged_count],
    [said.refused, refused],
  ] as const;
  return (
    <Entry>
      <div className="import-line">
        <p className="import-line-name truncate">{done.file_name}</p>
        <p className="muted">
          {names[done.resource]} · <Time at={done.created_at} /> · {said.by(done.user_name)}
        </p>
        <p className="muted">
          {counts
            .filter(([, count]) => count > 0)
            .map(([name, count]) => `${name}: ${format.number(count)}`)
            .join(' · ')}
        </p>
        {isElsewhere && <p>{said.underWay(...progress)}</p>}
        {isStopped && <p className="import-warning">{said.interrupted(...progress)}</p>}
        {done.undone_at !== null && <p>{said.undone(format.number(undone))}</p>}
        {kept > 0 && <Kept id={done.id} count={kept} resource={done.resource} />}
      </div>
      <div className="import-line-actions">
        {isStopped && (
          <Button size="small" onPress={onResume} isDisabled={isBusy}>
            {said.goOn}
          </Button>
        )}
        {done.can_undo && !isElsewhere && created + updated > undone + kept && (
          <Button
            size="small"
            icon="undo"
            onPress={onUndo}
            isDisabled={isBusy}
            aria-label={said.undoOf(done.file_name)}
          >
            {said.undo}
          </Button>
        )}
      </div>
    </Entry>
  );
}

/** Undoes an import, some rows at a time, until none remains. */
function useUndo() {
  const client = useQueryClient();
  const said = useWords(words);
  const format = useFormat();
  const text = useProblemText();
  const toast = useToast();
  const [asked, ask] = useState<Import>();
  const [progress, setProgress] = useState<number>();

  const run = async () => {
    if (!asked) return;
    ask(undefined);
    setProgress(0);
    const params = { id: asked.id };
    const all = asked.created_count + asked.updated_count;
    const { signal } = new AbortController();
    const undoSome = () => call('POST /imports/{id}/undo', { params, body: {} });
    try {
      for (;;) {
        const { data } = await sendPatiently(undoSome, signal);
        setProgress(1 - data.remaining / all);
        if (data.remaining > 0) continue;
        toast({ text: said.undone(format.number(data.data.undone_count)) });
        break;
      }
    } catch (error) {
      toast({ text: text(error, { undo_expired: said.undoExpired }), kind: 'failed' });
    } finally {
      setProgress(undefined);
      await client.invalidateQueries({ queryKey: importsQuery.queryKey });
    }
  };
  return { asked, ask, progress, run };
}
