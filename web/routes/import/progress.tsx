import { useEffect, useId } from 'react';
import { Button } from '../../components/button.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';

/** A progress bar. React Aria's is not used: it would be added to what every first visit loads. */
export function Progress({
  label,
  value,
  isStopping = false,
  onStop,
}: {
  label: string;
  value: number;
  isStopping?: boolean;
  onStop?: () => void;
}) {
  const said = useWords(words);
  const format = useFormat();
  const id = useId();
  // The button that started the work is removed when the bar appears, and the stop button together with the bar.
  useEffect(() => {
    const keepFocus = () => focusIfLost(document.querySelector<HTMLElement>('.import-heading'));
    keepFocus();
    return keepFocus;
  }, []);
  return (
    <div className="import-progress">
      <div className="import-progress-what">
        <label htmlFor={id}>{isStopping ? said.stopping : label}</label>
        <span className="muted">{format.percent(Math.floor(value * 100))}</span>
        <progress id={id} value={value} />
      </div>
      {onStop && (
        <Button isPending={isStopping} onPress={onStop}>
          {said.stop}
        </Button>
      )}
    </div>
  );
}
