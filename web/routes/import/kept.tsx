import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Import, ListedRow } from '../../../src/imports/schema.ts';
import { queryOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';

/** The rows that undoing left, since somebody has changed them. */
export function Kept({ id, count, resource }: { id: string; count: number; resource: Import['resource'] }) {
  const said = useWords(words);
  const format = useFormat();
  const [isShown, setIsShown] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  // The button that was pressed goes.
  useEffect(() => {
    if (isShown) focusIfLost(list.current);
  }, [isShown]);
  const asked = { params: { id }, query: { show: 'kept' as const, limit: 500 } };
  const { data } = useQuery({ ...queryOf('GET /imports/{id}/rows', asked), enabled: isShown });
  const addressOf = ({ orgnr, resource_id }: ListedRow) => {
    if (resource === 'company') return `/companies/${orgnr ?? ''}`;
    return `/${resource === 'contact' ? 'contacts' : 'offers'}/${resource_id ?? ''}`;
  };
  return (
    <>
      <p className="import-kept">
        {said.kept(format.number(count))}
        {!isShown && (
          <Button kind="quiet" size="small" onPress={() => setIsShown(true)}>
            {said.showKept}
          </Button>
        )}
      </p>
      {isShown && (
        <ul ref={list} tabIndex={-1} className="import-kept-list">
          {data?.data.data.map((row) => (
            <li key={row.line}>
              {row.label === null ? row.line : <Link to={addressOf(row)}>{row.label}</Link>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
