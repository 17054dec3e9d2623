import type { ReactNode } from 'react';
import type { Sorting } from '../client/sorting.ts';
import { dictionary, useWords } from '../words/dictionary.ts';
import { Icon } from './icon.tsx';
import { Menu, MenuChoice } from './menu.tsx';

const displayWords = dictionary(
  {
    display: 'Tilpass',
    sort: 'Sortering',
    sortedBy: (sort: string) => `Sortering: ${sort}`,
    name: 'Navn',
    '-updated_at': 'Sist endret',
    updated_at: 'Lengst urørt',
    status_since: 'Lengst i status',
    '-status_since': 'Kortest i status',
  },
  {
    display: 'Display',
    sort: 'Sorting',
    sortedBy: (sort) => `Sorting: ${sort}`,
    name: 'Name',
    '-updated_at': 'Last changed',
    updated_at: 'Longest unchanged',
    status_since: 'Longest in status',
    '-status_since': 'Shortest in status',
  },
);

type Sort = 'name' | 'updated_at' | '-updated_at' | 'status_since' | '-status_since';

/** A menu of how to sort a list, also by columns that are not shown, and of the choices in `children`. */
export function DisplayMenu({
  sorting: { by, sorts, set },
  children,
}: {
  sorting: Sorting<Sort>;
  children?: ReactNode;
}) {
  const words = useWords(displayWords);
  return (
    <Menu
      size="small"
      trigger={
        <>
          {children && <Icon name="columns" />}
          <span className="button-text">{children ? words.display : words.sortedBy(words[by])}</span>
          {!children && <Icon name="down" />}
        </>
      }
    >
      <MenuChoice
        title={words.sort}
        chosen={by}
        onChoose={set}
        options={sorts.map((id) => ({ id, label: words[id] }))}
      />
      {children}
    </Menu>
  );
}
