import { useMemo } from 'react';
import type { Column } from '../../components/data-table.tsx';
import { useMedia } from '../../components/media.ts';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { mailAddress } from '../contact/mail.ts';
import { telephoneAddress } from '../contact/telephone.ts';
import type { ContactRow } from './queries.ts';
import { contactsWords } from './words.ts';

export function useContactColumns(): readonly Column<ContactRow>[] {
  const names = useWords(shared);
  const words = useWords(contactsWords);
  const isBroad = useMedia('broad');
  return useMemo<readonly Column<ContactRow>[]>(() => {
    const none = <span className="muted">{names.empty}</span>;
    return [
      { id: 'name', label: names.name, width: 'minmax(0, 4fr)', sort: 'name', cell: ({ name }) => name },
      {
        id: 'companies',
        label: names.companies,
        width: 'minmax(0, 5fr)',
        cell: (row) => (row.companies.length > 0 ? <Companies row={row} /> : none),
      },
      {
        id: 'email',
        label: words.email,
        width: 'minmax(0, 4fr)',
        cell: ({ email }) => (email ? <PlainLink href={mailAddress(email)}>{email}</PlainLink> : none),
      },
      {
        id: 'telephone',
        label: words.telephone,
        width: 'minmax(0, 2fr)',
        cell: ({ telephone }) =>
          telephone ? <PlainLink href={telephoneAddress(telephone)}>{telephone}</PlainLink> : none,
      },
      ...(isBroad
        ? [
            {
              id: 'changed',
              label: names.changed,
              width: 'calc(var(--unit) * 26)',
              sort: 'updated_at',
              cell: ({ updated_at }: ContactRow) => <Time at={updated_at} kind="date" inRow />,
            },
          ]
        : []),
    ];
  }, [names, words, isBroad]);
}

/** Tab skips this link, since the rows of the list take the focus. On the contact's page, Tab reaches it. */
function PlainLink({ href, children }: { href: string | undefined; children: string }) {
  if (href === undefined) return <span className="truncate">{children}</span>;
  return (
    <a href={href} tabIndex={-1} className="contact-point-link truncate">
      {children}
    </a>
  );
}

function Companies({ row: { companies, companyCount } }: { row: ContactRow }) {
  const more = companyCount - companies.length;
  return (
    <span className="truncate">
      {companies.map(({ name, role }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same company may be linked twice
        <span key={at}>
          {at > 0 && ', '}
          {name}
          {role && <span className="muted">{` · ${role}`}</span>}
        </span>
      ))}
      {more > 0 && <span className="muted">{` +${more}`}</span>}
    </span>
  );
}

/** A row on a phone: two lines in place of columns. */
export function PhoneRow({ row }: { row: ContactRow }) {
  const { name, email, telephone, companies } = row;
  const rest = email ?? telephone;
  return (
    <>
      <span>{name}</span>
      <span className="muted">{companies.length > 0 ? <Companies row={row} /> : rest}</span>
    </>
  );
}
