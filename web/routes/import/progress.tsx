import { Label, ProgressBar } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';

/** How far something has come. */
export function Progress({ label, value, onStop }: { label: string; value: number; onStop?: () => void }) {
  const said = useWords(words);
  const format = useFormat();
  const text = format.percent(Math.floor(value * 100));
  return (
    <div className="import-progress">
      <ProgressBar value={value * 100} valueLabel={text}>
        <span className="import-progress-text">
          <Label>{label}</Label>
          <span className="muted">{text}</span>
        </span>
        <span className="import-bar">
          <span className="import-bar-done" style={{ inlineSize: `${value * 100}%` }} />
        </span>
      </ProgressBar>
      {onStop && <Button onPress={onStop}>{said.stop}</Button>}
    </div>
  );
}
