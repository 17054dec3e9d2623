import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useDraft } from '../../client/drafts.ts';
import type { RecordName } from '../../client/records.ts';
import { useUndo } from '../../client/undo.ts';
import { focusIfLost } from '../../components/focus-back.ts';
import { useCommands } from '../../frame/commands.tsx';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';

/** The state of a form that adds something to a tab, opened by its keys. */
export function useAdding({
  label,
  group,
  keys,
  isAllowed,
  onOpen,
}: {
  label: string;
  group: string;
  keys?: string;
  isAllowed: boolean;
  onOpen?: () => void;
}) {
  /** The id of the button that opens the form, and has the focus again when the form closes. */
  const buttonId = useId();
  const wasOpen = useRef(false);
  const [isWanted, setIsWanted] = useState(false);
  const isOpen = isAllowed && isWanted;
  const open = () => {
    onOpen?.();
    setIsWanted(true);
  };
  const close = () => setIsWanted(false);
  useCommands(isAllowed ? [{ id: `add ${label}`, label, group, ...(keys && { keys }), run: open }] : []);
  useEffect(() => {
    if (wasOpen.current && !isOpen) focusIfLost(document.getElementById(buttonId));
    wasOpen.current = isOpen;
  }, [isOpen, buttonId]);
  return { isOpen, open, close, buttonId };
}

/** How to undo adding something, which may have changed since. */
type Undo = { of: RecordName; run: () => Promise<unknown> };

/** What is typed into such a form; `cancel` gives it up. A form closed while it was sent does not close the next. */
export function useAddingDraft<Values extends object>(
  { close }: ReturnType<typeof useAdding>,
  form: string,
  initial: Values,
) {
  const client = useQueryClient();
  const toast = useToast();
  const isLeft = useIsLeft();
  const undoBy = useUndo();
  const draft = useDraft(form, initial);
  const cancel = () => {
    draft.drop();
    close();
  };
  const done = async (text: string, resource: string, undo?: Undo) => {
    draft.drop();
    if (!isLeft.current) close();
    const keys = [[resource], ['companies']];
    toast({ text, ...(undo && { of: [undo.of], onUndo: undoBy({ ...undo, keys }) }) });
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return { ...draft, cancel, done };
}
