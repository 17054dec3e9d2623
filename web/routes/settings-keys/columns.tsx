import { Menu, MenuItem } from '../../components/menu.tsx';
import type { RecordColumn } from '../../components/record-table.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { accessTo, nameOf, RESOURCES, type Key } from './access.ts';
import { words } from './words.ts';

const TONES: Record<Key['state'], Tone> = {
  active: 'success',
  replaced: 'warning',
  expired: 'neutral',
  revoked: 'neutral',
};

export function useKeyColumns(act: {
  onRotate: (key: Key) => void;
  onRevoke: (key: Key) => void;
}): RecordColumn<Key>[] {
  const said = useWords(words);
  const { name, empty, more } = useWords(shared);
  const format = useFormat();
  return [
    {
      id: 'name',
      label: name,
      cell(key) {
        const { creator, created_at: created, state, may } = key;
        const person = `${creator.first_name} ${creator.last_name}`.trim();
        return (
          <>
            <p className="record-name">{nameOf(key)}</p>
            <p className="record-more">{said.by(person, format.shortDate(created))}</p>
            {state === 'active' && !may.rotate && (
              <p className="record-more key-reason">{said.rotatedBy(person)}</p>
            )}
          </>
        );
      },
    },
    ...RESOURCES.map((resource): RecordColumn<Key> => ({
      id: resource,
      label: said.resources[resource],
      cell({ permissions }) {
        const access = accessTo(resource, permissions);
        return access ? said[access] : <span className="muted">{empty}</span>;
      },
    })),
    {
      id: 'used',
      label: said.lastUsed,
      cell: ({ last_used_at: used }) =>
        used === null ? <span className="muted">{said.never}</span> : <Time at={used} inRow />,
    },
    {
      id: 'today',
      label: said.today,
      align: 'end',
      cell: ({ requests_24h: requests, errors_24h: errors }) => (
        <div>
          <p>{format.number(requests)}</p>
          {errors > 0 && <p className="key-errors">{said.errors(format.number(errors))}</p>}
        </div>
      ),
    },
    {
      id: 'state',
      label: said.state,
      cell: ({ state, revoked_at: revoked, expires_at: expires }) => {
        const end = revoked ?? expires;
        const isOver = state === 'expired' || state === 'revoked';
        // A replaced key may end within the hour, so the time is shown, too.
        const shown =
          end && [format.shortDate(end), ...(state === 'replaced' ? [format.time(end)] : [])].join(' ');
        return (
          <div>
            <Status tone={TONES[state]}>{said.states[state]}</Status>
            {shown && <p className="record-more">{isOver ? shown : said.until(shown)}</p>}
          </div>
        );
      },
    },
    {
      id: 'actions',
      label: more,
      isActions: true,
      cell: (key) =>
        (key.may.rotate || key.may.revoke) && (
          <Menu label={said.actions(nameOf(key))}>
            {key.may.rotate && (
              <MenuItem icon="history" onAction={() => act.onRotate(key)}>
                {said.rotate}
              </MenuItem>
            )}
            {key.may.revoke && (
              <MenuItem icon="close" kind="danger" onAction={() => act.onRevoke(key)}>
                {said.revoke}
              </MenuItem>
            )}
          </Menu>
        ),
    },
  ];
}
