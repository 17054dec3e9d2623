import { useEffect, useRef, useState } from 'react';
import { focusIfLost } from '../../components/focus-back.ts';

type Name = number | 'new';

/**
 * For lists whose rows become forms, each for itself: what is typed in one stays while another is opened or removed.
 * When one closes, the focus that it had goes to the first button of its row.
 */
export function useRowForms() {
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<Name>>(new Set());
  const [closed, setClosed] = useState<{ name: Name }>();
  useEffect(() => {
    if (closed) focusIfLost(buttonOf(list.current, closed.name));
  }, [closed]);
  return {
    list,
    isOpen: (name: Name) => open.has(name),
    open: (name: Name) => setOpen((all) => new Set([...all, name])),
    close: (name: Name) => {
      setOpen((all) => new Set([...all].filter((other) => other !== name)));
      setClosed({ name });
    },
    /** Takes the focus from the button of a row that goes. */
    focusNew: () => buttonOf(list.current, 'new')?.focus(),
  };
}

function buttonOf(list: HTMLElement | null, name: Name) {
  return list?.querySelector<HTMLElement>(`[data-row="${name}"] button`);
}
