import { useRole, useSession } from '../../client/session.ts';
import { BreakableAddress } from '../../components/breakable-address.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Avatar } from '../../components/person-name.tsx';
import type { RecordColumn } from '../../components/record-table.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { nameOf, type Member } from './member.ts';
import { RoleMenu } from './role-menu.tsx';
import { words } from './words.ts';

export function useMemberColumns(act: {
  onLinkEnded: (member: Member) => void;
  onInvite: (member: Member) => void;
  onReset: (member: Member) => void;
  onRemove: (member: Member) => void;
}): RecordColumn<Member>[] {
  const said = useWords(words);
  const { name, more, role: roleNames } = useWords(shared);
  const { user } = useSession();
  const isAdmin = useRole('admin');
  const format = useFormat();

  function membershipOf({ joined_at: joined, invitation_expires_at: until }: Member): string {
    if (joined !== null) return said.joined(format.shortDate(joined));
    return until === null ? said.stale : said.invited(format.shortDate(until));
  }

  const columns: RecordColumn<Member>[] = [
    {
      id: 'name',
      label: name,
      cell: (member) => (
        <div className="member">
          <Avatar name={nameOf(member)} />
          <div>
            <p className="record-name">
              <BreakableAddress address={nameOf(member)} />{' '}
              {member.id === user.id && <Badge>{said.you}</Badge>}
            </p>
            {nameOf(member) !== member.email && (
              <p className="record-more">
                <BreakableAddress address={member.email} />
              </p>
            )}
          </div>
        </div>
      ),
    },
    {
      id: 'role',
      label: said.role,
      cell: (member) =>
        member.may.change_role ? (
          <RoleMenu member={member} onLinkEnded={act.onLinkEnded} />
        ) : (
          <div>
            <p>{roleNames[member.role]}</p>
            {member.is_last_owner && member.id === user.id && (
              <p className="record-more member-reason">{said.onlyOwner}</p>
            )}
          </div>
        ),
    },
    { id: 'membership', label: said.membership, cell: membershipOf },
  ];
  if (!isAdmin) return columns;
  return [
    ...columns,
    {
      id: 'used',
      label: said.lastUsed,
      cell: ({ last_used_at: used }) =>
        used === null ? <span className="muted">{said.never}</span> : <Time at={used} inRow />,
    },
    {
      id: 'actions',
      label: more,
      isActions: true,
      cell: (member) =>
        (member.may.invite || member.may.reset || member.may.remove) && (
          <Menu label={said.actions(nameOf(member))}>
            {member.may.invite && (
              <MenuItem icon="link" onAction={() => act.onInvite(member)}>
                {said.newLink}
              </MenuItem>
            )}
            {member.may.reset && (
              <MenuItem icon="key" onAction={() => act.onReset(member)}>
                {said.reset}
              </MenuItem>
            )}
            {member.may.remove && (
              <MenuItem icon="close" kind="danger" onAction={() => act.onRemove(member)}>
                {said.remove}
              </MenuItem>
            )}
          </Menu>
        ),
    },
  ];
}
