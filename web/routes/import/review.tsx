import { useMemo } from 'react';
import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { Progress } from './progress.tsx';
import { writeFile } from './read-file.ts';
import { RowsTable } from './rows-table.tsx';
import { useDetails } from './say.ts';
import type { Importing } from './use-import.ts';
import { words } from './words.ts';

/** The fields that can name a row, the surest first. */
const NAMING = ['name', 'title', 'orgnr', 'email', 'company', 'id'] as const;

/** The third step: what would become of the rows, then what became of them. */
export function Review({ importing }: { importing: Importing }) {
  const said = useWords(words);
  const { retry } = useWords(shared);
  const format = useFormat();
  const details = useDetails(importing.resource);
  const { file, columns, results, progress, step } = importing;
  const isDone = step === 'done';
  const isWhole = results.length === file?.rows.length;
  const labelOf = useLabels(importing);
  const toDo = results.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length;
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  if (!file) return null;

  const download = async () => {
    const byLine = new Map(file.rows.map((row) => [row.line, row.cells]));
    const width = file.header.length;
    const lines = refused.map((result) => [
      ...Array.from({ length: width }, (_, index) => byLine.get(result.line)?.[index] ?? ''),
      String(result.line),
      details(result),
    ]);
    const blob = await writeFile([...file.header, said.line, said.reason], lines);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${file.name.replace(/\.\w+$/, '')}-${said.refusedFile}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  return (
    <div className="import-part">
      {progress !== undefined && (
        <Progress
          label={isDone ? said.reading : said.checking}
          value={progress}
          isStopping={importing.isStopping}
          onStop={() => importing.cancel()}
        />
      )}
      <div role="status">
        {progress === undefined && isWhole && <p>{isDone ? said.finished : said.checked}</p>}
        {progress === undefined && isDone && !isWhole && <Band kind="warning">{said.stopped}</Band>}
      </div>
      {results.length > 0 && (
        <RowsTable results={results} labelOf={labelOf} details={details} isDone={isDone} />
      )}
      {progress === undefined && (
        <div className="import-buttons" data-below-rows={results.length > 0 || undefined}>
          {refused.length > 0 && (
            <Button icon="export" onPress={() => void download()}>
              {said.download}
            </Button>
          )}
          {!isDone && <Button onPress={() => importing.setStep('columns')}>{said.back}</Button>}
          {!isDone && isWhole && (
            <Button kind="primary" isDisabled={toDo === 0} onPress={() => void importing.start()}>
              {toDo === 0 ? said.nothingToDo : said.start(format.number(toDo))}
            </Button>
          )}
          {!isDone && !isWhole && (
            <Button kind="primary" isDisabled={columns.length === 0} onPress={() => void importing.check()}>
              {retry}
            </Button>
          )}
          {isDone && !isWhole && (
            <Button kind="primary" onPress={() => void importing.goOn()}>
              {said.goOn}
            </Button>
          )}
          {isDone && <Button onPress={() => importing.reset()}>{said.again}</Button>}
        </div>
      )}
    </div>
  );
}

/** Gives the name of the row at a line: its first field of `NAMING` that is not empty. */
function useLabels({ file, columns, going }: Importing): (line: number) => string {
  const taken = going?.columns ?? columns;
  const labels = useMemo(() => {
    const naming = NAMING.map((field) => taken.flatMap((one, index) => (one === field ? index : [])));
    return new Map(
      file?.rows.map(({ line, cells }) => {
        const names = naming.map((at) =>
          at
            .map((index) => cells[index]?.trim() ?? '')
            .join(' ')
            .trim(),
        );
        return [line, names.find((name) => name !== '') ?? ''] as const;
      }),
    );
  }, [file, taken]);
  return (line) => labels.get(line) ?? '';
}
