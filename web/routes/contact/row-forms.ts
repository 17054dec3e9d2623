import { useEffect, useRef, useState } from 'react';
import { focusIfLost } from '../../components/focus-back.ts';

type Name = number | 'new';

/**
 * For lists whose rows become forms of their own: what is typed in one stays while another is opened or removed.
 * When one closes, the focus that it had goes to the first button of its row. The form of a row that somebody else has
 * removed stays in its place, too.
 * @param stored in order of their ids
 */
export function useRowForms<Row extends { id: number }>(stored: readonly Row[]) {
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlyMap<Name, Row | undefined>>(new Map());
  const [closed, setClosed] = useState<{ name: Name }>();
  useEffect(() => {
    if (closed) focusIfLost(buttonOf(list.current, closed.name) ?? buttonOf(list.current, 'new'));
  }, [closed]);
  const gone = [...open.values()].filter(
    (row) => row !== undefined && !stored.some(({ id }) => id === row.id),
  );
  return {
    list,
    rows: [...stored, ...(gone as Row[])].toSorted((one, other) => one.id - other.id),
    isGone: (row: Row) => gone.includes(row),
    isOpen: (name: Name) => open.has(name),
    open: (name: Name, row?: Row) => setOpen((all) => new Map(all).set(name, row)),
    close: (name: Name) => {
      setOpen((all) => new Map([...all].filter(([other]) => other !== name)));
      setClosed({ name });
    },
    /** For a row that is removed while its button has the focus. */
    focusNew: () => buttonOf(list.current, 'new')?.focus(),
  };
}

function buttonOf(list: HTMLElement | null, name: Name) {
  return list?.querySelector<HTMLElement>(`[data-row="${name}"] button`);
}
