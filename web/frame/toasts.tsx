import { createContext, use, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
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
};

type Shown = Toast & { id: number };

const Context = createContext<((toast: Toast) => void) | undefined>(undefined);

/** How long something can be undone, and how long a message stays. */
const STAYS_MS = 10_000;
const MOST = 3;

/** Shows what happened at the edge of the screen, and says it to screen readers. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const last = useRef(0);
  const show = useCallback((toast: Toast) => {
    const id = ++last.current;
    setToasts((others) => [...others, { ...toast, id }].slice(-MOST));
  }, []);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  return (
    <Context value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onClose={close} />
        ))}
      </div>
    </Context>
  );
}

export function useToast(): (toast: Toast) => void {
  const show = use(Context);
  if (!show) throw new Error('useToast needs a ToastProvider');
  return show;
}

function ToastView({ toast, onClose }: { toast: Shown; onClose: (id: number) => void }) {
  const words = useWords(shared);
  const [held, setHeld] = useState(false);
  /** What had the focus before the message. */
  const before = useRef<HTMLElement>(undefined);
  useEffect(() => () => focusIfLost(before.current), []);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => onClose(toast.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [held, toast.id, onClose]);
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
