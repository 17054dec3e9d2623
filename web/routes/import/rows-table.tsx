import { useEffect, useRef, useState } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { Result } from '../../../src/imports/schema.ts';
import { Button } from '../../components/button.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

type Outcome = Result['outcome'];

const OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const;
const TONE: Record<Outcome, Tone> = {
  created: 'success',
  updated: 'accent',
  unchanged: 'neutral',
  refused: 'danger',
};
const STEP = 100;

/** What will become of each row, or what became of it: counts to filter by, and the rows. */
export function RowsTable({
  results,
  labelOf,
  details,
  isDone,
}: {
  results: readonly Result[];
  labelOf: (line: number) => string;
  details: (result: Result) => string;
  isDone: boolean;
}) {
  const said = useWords(words);
  const { empty, notFilledIn } = useWords(shared);
  const format = useFormat();
  const [shown, setShown] = useState<Outcome | 'all'>('all');
  const [count, setCount] = useState(STEP);
  const body = useRef<HTMLTableSectionElement>(null);
  // The button disappears once the last rows are shown: the first of the rows that it added takes the focus.
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (count > STEP && isLost) body.current?.rows.item(count - STEP)?.focus({ preventScroll: true });
  }, [count]);
  const groups = Map.groupBy(results, ({ outcome }) => outcome);
  const rows = shown === 'all' ? results : (groups.get(shown) ?? []);
  const names: Record<Outcome, string> = {
    created: said.createdOne,
    updated: isDone ? said.updatedDone : said.updatedOne,
    unchanged: said.unchangedOne,
    refused: said.refusedOne,
  };
  return (
    <>
      <ToggleButtonGroup
        className="import-counts"
        aria-label={said.show}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[shown]}
        onSelectionChange={(keys) => {
          const [next] = keys;
          setShown((next as Outcome | 'all' | undefined) ?? 'all');
          setCount(STEP);
        }}
      >
        <ToggleButton id="all" className="import-count">
          <span className="import-number">{format.number(results.length)}</span>
          <span>{said.all}</span>
        </ToggleButton>
        {OUTCOMES.map((outcome) => (
          <ToggleButton key={outcome} id={outcome} className="import-count">
            <span className="import-number">{format.number(groups.get(outcome)?.length ?? 0)}</span>
            <span>{said[outcome]}</span>
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {rows.length > 0 && (
        <table className="import-table">
          <thead>
            <tr>
              <th scope="col" className="numeric">
                {said.line}
              </th>
              <th scope="col" className="import-label">
                {said.row}
              </th>
              <th scope="col" className="import-outcome">
                {said.outcome}
              </th>
              <th scope="col" className="import-examples">
                {said.why}
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.slice(0, count).map((result) => (
              <tr key={result.line} tabIndex={-1}>
                <td className="numeric muted">{format.number(result.line)}</td>
                <th scope="row" className="import-label">
                  {labelOf(result.line) || (
                    <>
                      <span aria-hidden="true">{empty}</span>
                      <span className="visually-hidden">{notFilledIn}</span>
                    </>
                  )}
                  <span className="muted import-example">{details(result)}</span>
                </th>
                <td>
                  <Status tone={TONE[result.outcome]}>{names[result.outcome]}</Status>
                </td>
                <td className="muted import-examples">{details(result)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > count && <Button onPress={() => setCount(count + STEP)}>{said.more}</Button>}
    </>
  );
}
