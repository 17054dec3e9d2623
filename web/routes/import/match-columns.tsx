import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/select.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { ENCODINGS, SEPARATORS, type Encoding } from './read-file.ts';
import type { Field, Importing } from './use-import.ts';
import { words } from './words.ts';

const EXAMPLES = 3;

/** How the file is read, and which field each column holds. */
export function MatchColumns({ importing }: { importing: Importing }) {
  const said = useWords(words);
  const format = useFormat();
  const { file, reading, columns, possible } = importing;
  if (!file) return null;
  const { encoding, separator } = reading ?? file;
  const separators = { ';': said.semicolon, ',': said.comma, '\t': said.tab, '|': said.pipe };
  const fields = [
    { id: '', label: said.leaveOut },
    ...possible.fields.map((id) => ({ id, label: said.fields[id] })),
  ];
  const missing = possible.needed.filter((group) => !group.some((field) => columns.includes(field)));
  const examplesOf = (index: number) => {
    const cells = file.rows.slice(0, 50).map((row) => (row.cells[index] ?? '').trim());
    return [...new Set(cells.filter((cell) => cell !== ''))].slice(0, EXAMPLES);
  };
  return (
    <div className="import-part">
      <div className="import-reading">
        <p className="import-file">
          <strong className="truncate">{file.name}</strong>
          <span className="muted">{said.rowsFound(format.number(file.rows.length))}</span>
        </p>
        <Select
          label={said.encoding}
          options={Object.entries(ENCODINGS).map(([id, label]) => ({ id: id as Encoding, label }))}
          value={encoding}
          onChange={(next) => void importing.readAs({ encoding: next, separator })}
        />
        <Select
          label={said.separator}
          options={SEPARATORS.map((id) => ({ id, label: separators[id] }))}
          value={separator}
          onChange={(next) => void importing.readAs({ encoding, separator: next })}
        />
      </div>
      <table className="import-table">
        <thead>
          <tr>
            <th scope="col" className="import-column">
              {said.column}
            </th>
            <th scope="col" className="import-examples">
              {said.examples}
            </th>
            <th scope="col">{said.field}</th>
          </tr>
        </thead>
        <tbody>
          {file.header.map((header, index) => {
            const name = header.trim() === '' ? said.unnamed(format.number(index + 1)) : header.trim();
            return (
              // oxlint-disable-next-line react/no-array-index-key -- columns have no other name: headers repeat
              <tr key={index} data-left-out={columns[index] === null || undefined}>
                <th scope="row">
                  {name}
                  <span className="muted import-example">{examplesOf(index)[0]}</span>
                </th>
                <td className="muted import-examples">{examplesOf(index).join(' · ')}</td>
                <td>
                  <Select
                    label={said.fieldOf(name)}
                    hideLabel
                    options={fields}
                    value={columns[index] ?? ''}
                    onChange={(id) =>
                      importing.setColumns(columns.with(index, id === '' ? null : (id as Field)))
                    }
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="muted">{said.blanks}</p>
      <div role="status">
        {file.openQuote && <Band kind="danger">{said.openQuote(format.number(file.openQuote))}</Band>}
        {file.tooLong && <Band kind="warning">{said.tooLong(format.number(file.tooLong))}</Band>}
        {missing.length > 0 && (
          <Band kind="warning">
            {said.missing(format.list(missing.map(([field]) => said.fields[field!])))}
          </Band>
        )}
      </div>
      <div className="import-buttons">
        <Button onPress={() => importing.setStep('file')}>{said.back}</Button>
        <Button
          kind="primary"
          isPending={reading !== undefined}
          isDisabled={
            file.openQuote !== undefined || missing.length > 0 || columns.every((field) => field === null)
          }
          onPress={() => void importing.check()}
        >
          {said.check}
        </Button>
      </div>
    </div>
  );
}
