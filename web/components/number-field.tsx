import { Group, Input, Label, TextField } from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { useFormat } from '../words/format.ts';
import { useLanguage } from '../words/language.ts';
import { faults } from '../words/problems.ts';
import { readWhole } from '../words/whole-number.ts';
import { useIsLocked } from './submission.ts';
import { checkAgain, FieldFault } from './text-field.tsx';
import './field.css';

/**
 * A whole number as the language writes it, for a form, which reads it by `readWhole`; `unit` follows it: kr, %.
 * Left blank it is 0. React Aria's own field for numbers drops a character that it does not accept, so that the next
 * digit makes another number; arrows, End and Home change the number, too.
 */
export function NumberField({
  name,
  label,
  unit,
  value,
  onChange,
  most = Number.MAX_SAFE_INTEGER,
}: {
  /** As the API names it. */
  name: string;
  label: string;
  unit: string;
  /** What is typed. */
  value: string;
  onChange: (value: string) => void;
  most?: number;
}) {
  const said = useWords(faults);
  const format = useFormat();
  const { language } = useLanguage();
  const isLocked = useIsLocked();
  const leave = () => {
    const number = readWhole(value, language);
    const written = format.number(number);
    if (number <= most && written !== value) onChange(written);
  };
  return (
    <TextField
      className="field"
      name={name}
      isReadOnly={isLocked}
      value={value}
      onChange={onChange}
      onBlur={leave}
      validate={(text) => (readWhole(text, language) <= most ? null : said.number)}
      inputMode="numeric"
      autoComplete="off"
    >
      <Label className="field-label">{label}</Label>
      <Group className="field-group field-number">
        <Input onInput={checkAgain} />
        <span className="muted">{unit}</span>
      </Group>
      <FieldFault error={undefined} />
    </TextField>
  );
}
