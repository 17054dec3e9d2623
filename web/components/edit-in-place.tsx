import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { isConflict } from '../client/problem.ts';
import { useTellIfLeft } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import './edit-in-place.css';

/** How editing what is typed ends. */
type Ending = 'by-key' | 'by-leaving';

/** What the editing variant is given: it calls `save` with a value, or `restore`. */
export type Editing<Value> = {
  /** Without an ending it was chosen, not typed. */
  save: (value: Value, ending?: Ending) => void;
  restore: () => void;
  labelledBy: string;
};

/**
 * A field that is read until it is clicked or Enter is pressed on it. It then shows `edit`, and afterwards saving,
 * saved, or why not, with what was typed kept in the editor. What was not saved because somebody else has written there
 * meanwhile is saved over that by a key or the button, not by leaving.
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
  const [problem, setProblem] = useState<{ text: string; undecided?: { value: Value } }>();
  const field = useRef<HTMLDivElement>(null);
  const focusBack = useRef(false);
  /** Hiding or removing the editor takes its focus away, which is no second wish to save. */
  const isOpen = useRef(false);

  // Before a list around it looks whether the focus is lost, and gives it to the row.
  useLayoutEffect(() => {
    if (!focusBack.current) return;
    if (state !== 'saving') focusBack.current = false;
    // Somebody who has gone on while it was saved keeps the focus.
    if (!isFocusHere(field.current)) return;
    const place =
      state === 'edit' ? field.current?.querySelector<HTMLElement>('input, textarea') : button.current;
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
    focusBack.current = isFocusHere(field.current);
  };
  const save = async (value: Value, ending?: Ending) => {
    if (!isOpen.current) return;
    if (ending === 'by-leaving' && problem?.undecided && isSame(problem.undecided.value, value)) {
      tellIfLeft(`${label}: ${problem.text}`);
      return;
    }
    leave();
    setProblem(undefined);
    setState('saving');
    try {
      await onSave(value);
      setState('saved');
    } catch (error) {
      const text = problemText(error);
      tellIfLeft(`${label}: ${text}`);
      setProblem({ text, ...(ending && isConflict(error) && { undecided: { value } }) });
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
      <div ref={field} className="edit-value">
        {isEditing && (
          <div className="edit-editor" hidden={state === 'saving'}>
            <Editor
              edit={edit}
              save={(value, ending) => void save(value, ending)}
              restore={restore}
              labelledBy={id}
            />
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
          {problem?.text ?? (state === 'saving' ? words.saving : state === 'saved' ? words.saved : '')}
        </span>
        {problem?.undecided && (
          <Button size="small" onPress={() => void save(problem.undecided!.value, 'by-key')}>
            {words.saveAgain}
          </Button>
        )}
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

/** Of texts, numbers and days. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the focus is in the field, in a list that it has opened, or nowhere. */
function isFocusHere(field: HTMLElement | null): boolean {
  const { activeElement } = document;
  return (
    activeElement === null ||
    activeElement === document.body ||
    field?.contains(activeElement) === true ||
    activeElement.closest('.popover') !== null
  );
}
