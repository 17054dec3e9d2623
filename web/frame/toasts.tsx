import {
  createContext,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { countWrites, isAmongWrites, type RecordChange, type RecordName } from '../client/records.ts';
import { warnOfLoss } from '../client/unsaved.ts';
import { Button } from '../components/button.tsx';
import { focusIfLost } from '../components/focus-back.ts';
import { Icon } from '../components/icon.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './toasts.css';

export type Toast = {
  text: string;
  kind?: 'done' | 'failed';
  /** What the button does; it says "Undo" unless `action` has another word. */
  onUndo?: () => void;
  action?: string;
  /** Whether it stays until it is closed: it holds what is nowhere else. */
  stays?: boolean;
  /** What was changed. Any further change of it ends the offer to undo this one. */
  of?: readonly RecordName[];
  /** Undo itself leaves alone what somebody else has changed since: such changes do not end the offer. */
  isUndoSafe?: boolean;
};

/** `writes`: how many writes of this tab came before it. */
type Shown = Toast & { id: number; writes: number };

type Toasts = {
  show: (toast: Toast) => void;
  /** Removes the Undo of messages whose record has changed since. */
  outdate: (changes: readonly RecordChange[]) => void;
  setIsCovered: (isCovered: boolean) => void;
};

const Context = createContext<Toasts | undefined>(undefined);

/** How long something can be undone, and how long a message stays. */
const STAYS_MS = 10_000;

/** Shows what happened at the edge of the screen, and says it to screen readers. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const [isCovered, setIsCovered] = useState(false);
  const last = useRef(0);
  const show = useCallback((toast: Toast) => {
    const shown = { ...toast, id: ++last.current, writes: countWrites() };
    const isOf = ({ of = [] }: Toast) => of.some((record) => toast.of?.includes(record));
    setToasts((others) => [...others.filter((other) => !isOf(other)), shown]);
  }, []);
  const outdate = useCallback((changes: readonly RecordChange[]) => {
    const isOutdated = ({ of = [], writes, isUndoSafe = false }: Shown) =>
      !isUndoSafe && changes.some((change) => of.includes(change.record) && !isAmongWrites(change, writes));
    setToasts((all) =>
      all.map((toast) => {
        if (!isOutdated(toast)) return toast;
        const { onUndo: _undo, stays: _stays, ...rest } = toast;
        return rest;
      }),
    );
  }, []);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const context = useMemo(() => ({ show, outdate, setIsCovered }), [show, outdate]);
  return (
    <Context value={context}>
      {children}
      {/* React Aria leaves a top layer usable over its dialogs and menus. */}
      <div className="toasts" role="status" aria-live="polite" data-react-aria-top-layer inert={isCovered}>
        <div className="toasts-list">
          {toasts.map((toast) => (
            <ToastView key={toast.id} toast={toast} onClose={close} />
          ))}
        </div>
      </div>
    </Context>
  );
}

export function useToast(): Toasts['show'] {
  return useToasts().show;
}

export function useToasts(): Toasts {
  const toasts = use(Context);
  if (!toasts) throw new Error('useToasts needs a ToastProvider');
  return toasts;
}

/** For what covers the whole page: messages can be neither read nor pressed while it is there. */
export function useCoverToasts(): void {
  const { setIsCovered } = useToasts();
  useLayoutEffect(() => {
    setIsCovered(true);
    return () => setIsCovered(false);
  }, [setIsCovered]);
}

/** Tells of a failure where the component that would show it is gone by then. */
export function useTellIfLeft(): (text: string, more?: Omit<Toast, 'text'>) => void {
  // Before anybody has signed in, there are no messages.
  const toasts = use(Context);
  const isLeft = useIsLeft();
  return (text, more) => {
    if (isLeft.current) toasts?.show({ text, kind: 'failed', ...more });
  };
}

/** Whether the component has gone while it waited for an answer. */
export function useIsLeft(): Readonly<RefObject<boolean>> {
  const isLeft = useRef(false);
  // A layout effect, so that it is set before anything that the component began can fail.
  useLayoutEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return isLeft;
}

function ToastView({ toast, onClose }: { toast: Shown; onClose: (id: number) => void }) {
  const words = useWords(shared);
  const [held, setHeld] = useState(false);
  /** What had the focus before the message. */
  const before = useRef<HTMLElement>(undefined);
  const canUndo = toast.onUndo !== undefined;
  useEffect(
    () => () => {
      focusIfLost(before.current);
      // A focused button that is removed fires no blur event.
      if (canUndo) setHeld(false);
    },
    [canUndo],
  );
  useEffect(() => {
    if (held || toast.stays) return undefined;
    const timer = setTimeout(() => onClose(toast.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [held, toast.stays, toast.id, onClose]);
  // A layout effect: the warning is there before the message is seen.
  useLayoutEffect(() => (toast.stays ? warnOfLoss() : undefined), [toast.stays]);
  return (
    <div
      className="toast"
      data-kind={toast.kind ?? 'done'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={({ relatedTarget, currentTarget }) => {
        setHeld(true);
        if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) {
          before.current = relatedTarget;
        }
      }}
      onBlur={() => setHeld(false)}
    >
      <span className="toast-text">{toast.text}</span>
      {toast.onUndo && (
        <Button
          size="small"
          kind="quiet"
          onPress={() => {
            onClose(toast.id);
            toast.onUndo?.();
          }}
        >
          {toast.action ?? words.undo}
        </Button>
      )}
      {/* Without the tip of an IconButton, whose positioning would be part of every first load. */}
      <button
        type="button"
        className="button"
        data-kind="quiet"
        data-square=""
        aria-label={words.close}
        onClick={() => onClose(toast.id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
