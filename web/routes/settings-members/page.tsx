import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { isProblem } from '../../client/problem.ts';
import { readAll, UNLOGGED_MS } from '../../client/queries.ts';
import { useRole } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useTellIfLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { useMemberColumns } from './columns.tsx';
import { InviteMember } from './invite-member.tsx';
import { LinkPanel } from './link-panel.tsx';
import { nameOf, type Member, type NewLink } from './member.ts';
import { RemoveMember } from './remove-member.tsx';
import { words } from './words.ts';
import './members.css';

const ROLES = ['member', 'admin', 'owner'] as const;

const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => readAll((query) => call('GET /members', { query, signal })),
});

export const prefetch: Prefetch = ({ client }) => {
  void client.prefetchQuery(membersQuery);
};

export function MembersPage() {
  const said = useWords(words);
  const { members: title, role: roleNames } = useWords(shared);
  const format = useFormat();
  const text = useProblemText();
  const toast = useToast();
  const tellIfLeft = useTellIfLeft();
  const client = useQueryClient();
  const isAdmin = useRole('admin');
  const isOwner = useRole('owner');
  const { data, error, refetch } = useQuery({ ...membersQuery, refetchInterval: UNLOGGED_MS });
  const [isInviting, setIsInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  const [link, setLink] = useState<NewLink>();

  const refresh = () => {
    // Also `users`, from which people are chosen on other pages.
    for (const queryKey of [['members'], ['users']]) void client.invalidateQueries({ queryKey });
  };
  const show = (created: NewLink) => {
    setIsInviting(false);
    setLink(created);
    tellIfLeft(said.unseen(nameOf(created.member)));
    refresh();
  };
  const endLink = ({ id }: Member) => setLink((shown) => (shown?.member.id === id ? undefined : shown));
  const columns = useMemberColumns({
    onRemove: setLeaving,
    onLinkEnded: endLink,
    onInvite: (member) =>
      void call('POST /members/invite', { body: { email: member.email, role: member.role } }).then(
        ({ data: { data: created } }) => show({ kind: 'invitation', ...created }),
        (failure: unknown) => toast({ text: text(failure), kind: 'failed' }),
      ),
    onReset: (member) =>
      void call('POST /members/{id}/reset', { params: { id: member.id } }).then(
        ({ data: { data: created } }) => show({ kind: 'reset', member, ...created }),
        (failure: unknown) =>
          toast({
            text: isProblem(failure, 'other_workspaces') ? said.elsewhere(member.email) : text(failure),
            kind: 'failed',
          }),
      ),
  });
  const invite = () => setIsInviting(true);
  useCommands(
    isAdmin ? [{ id: 'invite member', label: said.invite, group: title, keys: 'n', run: invite }] : [],
  );

  const rows = data?.toSorted((one, other) => format.compare(nameOf(one), nameOf(other)));
  return (
    <Page
      title={title}
      toolbar={<SettingsTabs />}
      actions={
        isAdmin && (
          <Button kind="primary" icon="plus" onPress={invite}>
            {said.invite}
          </Button>
        )
      }
    >
      {link && <LinkPanel key={link.path} link={link} onDone={() => setLink(undefined)} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Skeleton />}
      {rows && <RecordTable label={title} rows={rows} idOf={({ id }) => id} columns={columns} />}
      <section className="members-note" aria-labelledby="what-roles-may">
        <h2 id="what-roles-may">{said.rolesTitle}</h2>
        {!isOwner && <p className="muted">{said.explained}</p>}
        <dl className="members-roles">
          {ROLES.map((role) => [
            <dt key={role}>{roleNames[role]}</dt>,
            <dd key={`${role} may`}>{said.may[role]}</dd>,
          ])}
        </dl>
      </section>
      {isInviting && <InviteMember onCreated={show} onClose={() => setIsInviting(false)} />}
      {leaving && rows && (
        <RemoveMember
          target={leaving}
          others={rows.filter(({ id }) => id !== leaving.id)}
          onRemoved={() => {
            endLink(leaving);
            setLeaving(undefined);
            refresh();
          }}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Page>
  );
}
