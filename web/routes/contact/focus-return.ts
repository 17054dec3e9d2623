import { useEffect, useRef, useState } from 'react';

/** For lists whose rows become forms: when one closes, the focus goes to the first button of the row it names. */
export function useFocusReturn(onClose: () => void) {
  const list = useRef<HTMLUListElement>(null);
  const [row, setRow] = useState<{ name: string }>();
  useEffect(() => {
    if (!row) return;
    list.current?.querySelector<HTMLElement>(`[data-row="${row.name}"] button`)?.focus();
  }, [row]);
  return {
    list,
    close: (name: string) => {
      onClose();
      setRow({ name });
    },
  };
}
