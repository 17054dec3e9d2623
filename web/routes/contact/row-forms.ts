import { useEffect, useRef, useState } from 'react';

/**
 * For lists whose rows become forms, each for itself: what is typed in one stays while another is opened or removed.
 * When one closes, the focus goes to the first button of its row.
 */
export function useRowForms() {
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number | 'new'>>(new Set());
  const [row, setRow] = useState<{ name: number | 'new' }>();
  useEffect(() => {
    if (!row) return;
    list.current?.querySelector<HTMLElement>(`[data-row="${row.name}"] button`)?.focus();
  }, [row]);
  const focus = (name: number | 'new') => setRow({ name });
  return {
    list,
    isOpen: (name: number | 'new') => open.has(name),
    open: (name: number | 'new') => setOpen((all) => new Set([...all, name])),
    close: (name: number | 'new') => {
      setOpen((all) => new Set([...all].filter((other) => other !== name)));
      focus(name);
    },
    focus,
  };
}
