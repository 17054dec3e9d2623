import { useEffect, useRef } from 'react';
import { focusIfLost } from '../../components/focus-back.ts';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { Step } from './use-import.ts';
import { words } from './words.ts';

const ORDER = ['file', 'columns', 'review'] as const;

/**
 * The steps, and the heading of the current one. When the step changes, the heading takes the focus, so that the focus
 * is not lost and the step is read aloud.
 */
export function Steps({ step }: { step: Step }) {
  const said = useWords(words);
  const names = { file: said.stepFile, columns: said.stepColumns, review: said.stepReview };
  const current = step === 'done' ? 'review' : step;
  const at = ORDER.indexOf(current);
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(current);
  useEffect(() => {
    if (before.current !== current) heading.current?.focus();
    before.current = current;
  }, [current]);
  useEffect(() => {
    // The button that started the import is removed. A progress bar, which would keep the focus, may never appear.
    if (step === 'done') focusIfLost(heading.current);
  }, [step]);
  return (
    <>
      <ol className="import-steps" aria-label={said.steps}>
        {ORDER.map((one, index) => (
          <li key={one} aria-current={one === current ? 'step' : undefined}>
            <span className="import-step-sign" aria-hidden="true">
              {index < at ? <Icon name="check" /> : index + 1}
            </span>
            <span className="import-step-name">{names[one]}</span>
          </li>
        ))}
      </ol>
      <h2 ref={heading} tabIndex={-1} className="import-heading">
        {names[current]}
      </h2>
    </>
  );
}
