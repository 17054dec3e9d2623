import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useCommands } from '../../frame/commands.tsx';
import { useToast } from '../../frame/toasts.tsx';

/** The state of a form that adds something to a tab, opened by its keys. */
export function useAdding({
  label,
  group,
  keys,
  isAllowed,
}: {
  label: string;
  group: string;
  keys?: string;
  isAllowed: boolean;
}) {
  const client = useQueryClient();
  const toast = useToast();
  /** Of the button that opens it, and has the focus again when it closes. */
  const buttonId = useId();
  const wasOpen = useRef(false);
  const [isWanted, setIsWanted] = useState(false);
  const isOpen = isAllowed && isWanted;
  const open = () => setIsWanted(true);
  const close = () => setIsWanted(false);
  useCommands(isAllowed ? [{ id: `add ${label}`, label, group, ...(keys && { keys }), run: open }] : []);
  useEffect(() => {
    if (wasOpen.current && !isOpen) document.getElementById(buttonId)?.focus();
    wasOpen.current = isOpen;
  }, [isOpen, buttonId]);
  const done = async (text: string, resource: string) => {
    close();
    toast({ text });
    await Promise.all([
      client.invalidateQueries({ queryKey: [resource] }),
      client.invalidateQueries({ queryKey: ['companies'] }),
    ]);
  };
  return { isOpen, open, close, done, buttonId };
}
