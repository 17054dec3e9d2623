import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useTellIfLeft } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { Icon } from './icon.tsx';
import './edit-in-place.css';

/** What the editing variant is given: it calls `save` with a value, or `restore`. */
export type Editing<Value> = {
  save: (value: Value) => void;
  restore: () => void;
  labelledBy: string;
};

/**
 * A field that is read until it is clicked or Enter is pressed on it. It then shows `edit`, and afterwards saving,
 * saved, or why not, with what was typed kept in the editor.
 */
export function EditInPlace<Value>({
  label,
  shown,
  onSave,
  edit,
  isDisabled = false,
}: {
  label: string;
  /** The value as it is read; undefined shows a dash. */
  shown: ReactNode;
  onSave: (value: Value) => Promise<unknown>;
  edit: (editing: Editing<Value>) => ReactNode;
  isDisabled?: boolean;
}) {
  const words = useWords(shared);
  const problemText = useProblemText();
  const tellIfLeft = useTellIfLeft();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<'read' | 'edit' | 'saving' | 'saved'>('read');
  const [problem, setProblem] = useState<string>();
  const editor = useRef<HTMLDivElement>(null);
  const focusBack = useRef(false);
  /** Hiding or removing the editor takes its focus away, which is no second wish to save. */
  const isOpen = useRef(false);

  // Before a list around it looks whether the focus is lost, and gives it to the row.
  useLayoutEffect(() => {
    if (!focusBack.current) return;
    if (state !== 'saving') focusBack.current = false;
    // Somebody who has gone on while it was saved keeps the focus.
    if (!isFocusHere(editor.current, button.current)) return;
    const place =
      state === 'edit' ? editor.current?.querySelector<HTMLElement>('input, textarea') : button.current;
    place?.focus();
  }, [state]);

  const start = () => {
    // The key that saves goes on to the button, which has the focus by then.
    if (state === 'saving') return;
    isOpen.current = true;
    setState('edit');
  };
  const leave = () => {
    isOpen.current = false;
    // Leaving by a click or Tab has put the focus elsewhere, where it stays.
    focusBack.current = isFocusHere(editor.current, button.current);
  };
  const save = async (value: Value) => {
    if (!isOpen.current) return;
    leave();
    setProblem(undefined);
    setState('saving');
    try {
      await onSave(value);
      setState('saved');
    } catch (error) {
      const text = problemText(error);
      tellIfLeft(`${label}: ${text}`);
      setProblem(text);
      isOpen.current = true;
      setState('edit');
    }
  };
  const restore = () => {
    if (!isOpen.current) return;
    leave();
    setProblem(undefined);
    setState('read');
  };

  const isEmpty = (shown ?? undefined) === undefined;
  const isEditing = state === 'edit' || state === 'saving';
  return (
    <div className="edit" data-state={state}>
      <span id={id} className="edit-label">
        {label}
      </span>
      <div className="edit-value">
        {isEditing && (
          <div ref={editor} className="edit-editor" hidden={state === 'saving'}>
            <Editor edit={edit} save={(value) => void save(value)} restore={restore} labelledBy={id} />
          </div>
        )}
        {state !== 'edit' && (
          <button
            ref={button}
            type="button"
            className="edit-button"
            disabled={isDisabled}
            aria-describedby={`${id}-state`}
            onClick={start}
          >
            <span className="visually-hidden">{`${words.editField(label)}: `}</span>
            {isEmpty && <span className="visually-hidden">{words.notFilledIn}</span>}
            <span className="edit-shown">
              {isEmpty ? (
                <span className="muted" aria-hidden="true">
                  {words.empty}
                </span>
              ) : (
                shown
              )}
            </span>
            <Icon name="edit" />
          </button>
        )}
        <span id={`${id}-state`} className="edit-state" role={problem ? 'alert' : 'status'}>
          {problem ?? (state === 'saving' ? words.saving : state === 'saved' ? words.saved : '')}
        </span>
      </div>
    </div>
  );
}

function Editor<Value>({
  edit,
  ...editing
}: Editing<Value> & { edit: (editing: Editing<Value>) => ReactNode }): ReactNode {
  return edit(editing);
}

/** Whether the focus is in the field, in a list that it has opened, or nowhere. */
function isFocusHere(editor: HTMLElement | null, button: HTMLElement | null): boolean {
  const { activeElement } = document;
  return (
    activeElement === null ||
    activeElement === document.body ||
    activeElement === button ||
    editor?.contains(activeElement) === true ||
    activeElement.closest('.popover') !== null
  );
}
