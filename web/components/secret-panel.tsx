import { useEffect, useId, useRef, type ReactNode } from 'react';
import { warnOfLoss } from '../client/unsaved.ts';
import { Button } from './button.tsx';
import { useFocusBack } from './focus-back.ts';
import './secret-panel.css';

/**
 * What is shown only once: in the page rather than over it, so that no stray click takes it away. Its heading takes
 * the focus when it appears.
 */
export function SecretPanel({
  title,
  done,
  onDone,
  children,
}: {
  title: string;
  /** The button that puts it away: "I have copied it". */
  done: string;
  onDone: () => void;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useFocusBack();
  useEffect(() => warnOfLoss(), []);
  useEffect(() => {
    // A dialog that has just closed gives the focus back first.
    const timer = requestAnimationFrame(() => {
      heading.current?.focus();
      heading.current?.scrollIntoView({ block: 'nearest' });
    });
    return () => cancelAnimationFrame(timer);
  }, []);
  return (
    <section className="secret" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
      <Button onPress={onDone}>{done}</Button>
    </section>
  );
}
