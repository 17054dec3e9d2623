import {
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react';
import { canBeSentAgain, isConflict } from '../client/problem.ts';
import { warnOfLoss } from '../client/unsaved.ts';
import { useTellIfLeft } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { focusIfLost } from './focus-back.ts';
import { Icon } from './icon.tsx';
import './edit-in-place.css';

/** How editing what is typed ends. */
type Ending = 'by-key' | 'by-leaving';

/** What the editing variant is given: it calls `save` with a value, or `restore`. */
export type Editing<Value> = {
  /** Without an ending, the value was chosen, not typed. */
  save: (value: Value, ending?: Ending) => void;
  restore: () => void;
  /** Ends editing as Enter does, for the button that saves again. */
  finisher: Ref<() => void>;
  labelledBy: string;
};

/**
 * A field that shows its value until it is clicked or Enter is pressed on it. It then shows `edit`, and afterwards that
 * it is saving, has saved, or why it has not; what was typed then stays in the editor. Where somebody else has changed
 * the value meanwhile, Enter or the button overwrites that; leaving the field does not.
 */
export function EditInPlace<Value>({
  label,
  shown,
  onBegin,
  onSave,
  edit,
  isDisabled = false,
}: {
  label: string;
  /** The value as it is shown outside of editing; undefined shows a dash. */
  shown: ReactNode;
  /** Called when an edit of what is shown now begins: not when an edit goes on after a save that failed. */
  onBegin?: (() => void) | undefined;
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
  const [problem, setProblem] = useState<{ text: string; isUndecided: boolean }>();
  const field = useRef<HTMLDivElement>(null);
  const finisher = useRef<() => void>(null);
  const focusBack = useRef<'now' | 'if-lost'>(undefined);
  /** Hiding or removing the editor takes its focus away, which must not save a second time. */
  const isOpen = useRef(false);
  /** The text that the editing began with. */
  const began = useRef<string>(undefined);
  /** Whether the field is to be edited again once it is saved. */
  const isWanted = useRef(false);

  // A layout effect runs before a list around the field finds the focus lost, and gives it to the row.
  useLayoutEffect(() => {
    const back = focusBack.current;
    if (!back) return;
    focusBack.current = state === 'saving' ? 'now' : undefined;
    // If somebody has gone on to another field while this was saved, the focus stays there.
    if (!isFocusHere(field.current)) return;
    const place =
      state === 'edit' ? field.current?.querySelector<HTMLElement>('input, textarea') : button.current;
    if (back === 'if-lost') focusIfLost(place);
    else place?.focus();
  }, [state]);

  const isEditing = state === 'edit' || state === 'saving';
  // One effect for both states: in a gap between them, another tab could make this one load without asking.
  useEffect(() => {
    if (!isEditing) return undefined;
    const text = () => field.current?.querySelector<HTMLInputElement>('input, textarea')?.value;
    began.current ??= text();
    return warnOfLoss(() => text() !== began.current);
  }, [isEditing]);

  const start = () => {
    // The button has the focus while the value is saved, so it is not disabled.
    if (state === 'saving') {
      isWanted.current = true;
      return;
    }
    isOpen.current = true;
    began.current = undefined;
    onBegin?.();
    setState('edit');
  };
  const startAgain = useEffectEvent(() => {
    if (isWanted.current && isFocusHere(field.current)) start();
  });
  useEffect(() => {
    if (state === 'saved') startAgain();
  }, [state]);
  const leave = () => {
    isOpen.current = false;
    // Leaving by a click or Tab puts the focus elsewhere, where it stays: at once, or once the event is over.
    focusBack.current = isFocusNowhere() ? 'if-lost' : isFocusHere(field.current) ? 'now' : undefined;
  };
  /** Tells of a failure once the field is gone. What was typed is then only in the message. */
  const tellAndOffer = (text: string, value: Value, isTyped: boolean) =>
    tellIfLeft(`${label}: ${text}`, {
      action: words.saveAgain,
      onUndo: () => void saveAgain(value, isTyped),
      stays: true,
    });
  /** Gives back what cannot be saved any more, by copying it where the browser can. */
  const tellAndGiveBack = (text: string, typed: string) => {
    const showTyped = () => tellIfLeft(`${text}\n${words.typed}\n${typed}`, { stays: true });
    if (navigator.clipboard === undefined) {
      showTyped();
      return;
    }
    const copy = async () => {
      await navigator.clipboard.writeText(typed);
      tellIfLeft(words.copied, { kind: 'done' });
    };
    tellIfLeft(text, { action: words.copy, onUndo: () => void copy().catch(showTyped), stays: true });
  };
  const tellFailure = (error: unknown, value: Value, isTyped: boolean) => {
    const text = problemText(error);
    if (canBeSentAgain(error)) tellAndOffer(text, value, isTyped);
    else if (isTyped && typeof value === 'string') tellAndGiveBack(`${label}: ${text}`, value);
    else tellIfLeft(`${label}: ${text}`);
  };
  /** The warning of loss stays until the answer, also once the field is gone. */
  const send = async (value: Value) => {
    const end = warnOfLoss();
    await onSave(value).finally(end);
  };
  const saveAgain = async (value: Value, isTyped: boolean) => {
    try {
      await send(value);
      tellIfLeft(`${label}: ${words.saved}`, { kind: 'done' });
    } catch (error) {
      tellFailure(error, value, isTyped);
    }
  };
  const save = async (value: Value, ending?: Ending) => {
    if (!isOpen.current) return;
    if (ending === 'by-leaving' && problem?.isUndecided) {
      tellAndOffer(problem.text, value, true);
      return;
    }
    leave();
    isWanted.current = false;
    setProblem(undefined);
    setState('saving');
    try {
      await send(value);
      setState('saved');
    } catch (error) {
      tellFailure(error, value, ending !== undefined);
      setProblem({ text: problemText(error), isUndecided: ending !== undefined && isConflict(error) });
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
  return (
    <div className="edit" data-state={state}>
      <span id={id} className="edit-label">
        {label}
      </span>
      <div ref={field} className="edit-value">
        {isEditing && (
          <div
            role="presentation"
            className="edit-editor"
            hidden={state === 'saving'}
            onKeyDownCapture={(event) => {
              // The key would go on to the button, which has the focus by then, and open the field again.
              if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
            }}
          >
            <Editor
              edit={edit}
              save={(value, ending) => void save(value, ending)}
              restore={restore}
              finisher={finisher}
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
        {problem?.isUndecided && (
          <Button size="small" onPress={() => finisher.current?.()}>
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

/** Whether the focus is in the field, in a list that it has opened, or nowhere. */
function isFocusHere(field: HTMLElement | null): boolean {
  const { activeElement } = document;
  return (
    isFocusNowhere() || field?.contains(activeElement) === true || activeElement?.closest('.popover') !== null
  );
}

/** Also true while the focus goes from one element to another. */
function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
