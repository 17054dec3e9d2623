import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, type CallResult } from '../../client/call.ts';
import { listOf, rowsOf } from '../../client/queries.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { Empty } from '../../components/empty.tsx';
import { Entry, EntryList, useIsStop } from '../../components/entry-list.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { NextPageButton } from '../../components/next-page.tsx';
import { Avatar } from '../../components/person-name.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { useEntryWords, type Entry as TimelineEntry } from './entry-words.ts';
import { NoteField } from './note-field.tsx';
import { words } from './words.ts';
import './timeline.css';

const SIGNS: Record<TimelineEntry['type'], IconName> = {
  add_comment: 'note',
  create_company: 'plus',
  archive: 'archive',
  unarchive: 'archive',
  delete: 'trash',
  restore: 'undo',
  change_status: 'right',
  change_assignment: 'contacts',
  register_change: 'companies',
};

export const timelineQuery = (orgNr: string) =>
  listOf('GET /companies/{orgNr}/timeline', { params: { orgNr }, query: { limit: '50' } });

/** What happened to the company, the newest first, and a field to write a note. */
export function Timeline({ orgnr, canWrite }: { orgnr: string; canWrite: boolean }) {
  const said = useWords(words);
  const { timeline } = useWords(shared);
  const list = timelineQuery(orgnr);
  const found = useInfiniteQuery({ ...list, placeholderData: undefined });
  const entries = rowsOf(found.data);
  const removal = useNoteRemoval(orgnr, list.queryKey);
  return (
    <section className="timeline" aria-label={timeline}>
      {canWrite && <NoteField orgnr={orgnr} />}
      {found.error && !entries && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton rows={5} kind="text" />}
      {entries?.length === 0 && <Empty>{said.timelineEmpty}</Empty>}
      {entries && entries.length > 0 && (
        <EntryList>
          {entries.map((entry) => (
            <EntryView
              key={entry.id}
              entry={entry}
              onDelete={entry.type === 'add_comment' ? () => removal.mutate(entry.id) : undefined}
            />
          ))}
        </EntryList>
      )}
      <NextPageButton list={found}>{said.older}</NextPageButton>
    </section>
  );
}

function EntryView({ entry, onDelete }: { entry: TimelineEntry; onDelete: (() => void) | undefined }) {
  const { who, what } = useEntryWords()(entry);
  const isNote = entry.type === 'add_comment';
  return (
    <Entry className="entry" data-note={isNote || undefined}>
      <span className="entry-sign">{isNote ? <Avatar name={who} /> : <Icon name={SIGNS[entry.type]} />}</span>
      <div className="entry-body">
        <p className="entry-head">
          <strong>{who}</strong> {what} <Time at={entry.created_at} />
        </p>
        {isNote && <p className="entry-text">{entry.content.text}</p>}
      </div>
      {isNote && onDelete && <DeleteNote text={entry.content.text ?? ''} onPress={onDelete} />}
    </Entry>
  );
}

/** The button is removed with its note; the focus then moves to the button of the next note. */
function DeleteNote({ text, onPress }: { text: string; onPress: () => void }) {
  const said = useWords(words);
  const isStop = useIsStop();
  const next = useRef<HTMLElement>(undefined);
  useEffect(() => () => focusIfLost(next.current), []);
  return (
    <IconButton
      icon="trash"
      label={said.deleteNote(startOf(text))}
      excludeFromTabOrder={!isStop}
      onPress={({ target }) => {
        const all = [...document.querySelectorAll<HTMLElement>('.entry > .button')];
        const at = all.findIndex((one) => one === target);
        next.current = all[at + 1] ?? all[at - 1];
        onPress();
      }}
    />
  );
}

const FEW_WORDS = 40;

/** Enough of a note to tell it from others. */
function startOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= FEW_WORDS ? line : `${line.slice(0, FEW_WORDS).trimEnd()} …`;
}

type Pages = InfiniteData<CallResult<'GET /companies/{orgNr}/timeline'>>;

function useNoteRemoval(orgNr: string, queryKey: readonly unknown[]) {
  const said = useWords(words);
  const client = useQueryClient();
  const paramsOf = (id: number) => ({ params: { orgNr, id: String(id) } });
  return useMutationWithUndo({
    run: (id: number) => call('DELETE /companies/{orgNr}/notes/{id}', paramsOf(id)),
    undo: (id) => call('POST /companies/{orgNr}/notes/{id}/restore', paramsOf(id)),
    of: (id) => `note ${id}`,
    text: () => said.noteDeleted,
    keys: [queryKey],
    show: (id) =>
      client.setQueryData<Pages>(
        queryKey,
        (pages) => pages && { ...pages, pages: pages.pages.map((page) => without(page, id)) },
      ),
  });
}

function without(page: Pages['pages'][number], id: number): Pages['pages'][number] {
  return { ...page, data: { ...page.data, data: page.data.data.filter((entry) => entry.id !== id) } };
}
