import type { Result } from '../../../src/imports/schema.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';

/** What is said of one row: the fields that change, or why it is refused. */
export function useDetails(): (result: Result) => string {
  const said = useWords(words);
  const format = useFormat();
  const nameOf = (field: string) => (said.fields as Record<string, string>)[field] ?? field;
  return ({ outcome, fields, reasons }) => {
    if (outcome === 'updated') return format.list(fields.map(nameOf));
    const sentences = reasons.map(({ field, code, line }) => {
      if (line !== undefined) return said.repeatedOf(format.number(line));
      return field === null ? said.reasons[code] : `${nameOf(field)} ${said.reasons[code]}`;
    });
    return sentences.join('; ');
  };
}
