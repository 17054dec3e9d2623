import type { Result } from '../../../src/imports/schema.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { refusals } from './refusals.ts';
import type { Resource } from './use-import.ts';
import { words } from './words.ts';

/** What is said of one row: the fields that change, or why it is refused. */
export function useDetails(resource: Resource): (result: Result) => string {
  const said = useWords(words);
  const why = useWords(refusals);
  const names = useWords(shared);
  const format = useFormat();
  const choicesOf = (field: string) => {
    if (field === 'recurring_frequency') return names.frequency;
    return resource === 'company' ? names.companyStatus : names.offerStatus;
  };
  const nameOf = (field: string) => (said.fields as Record<string, string>)[field] ?? field;
  return ({ outcome, fields, reasons }) => {
    if (outcome === 'updated') return format.list(fields.map(nameOf));
    const sentences = reasons.map(({ field, code, line }) => {
      if (line !== undefined) return why.repeatedOf(format.number(line));
      if (field === null) return code === 'limit' ? why.tooMany : why.reasons[code];
      const sentence = `${nameOf(field)} ${why.reasons[code]}`;
      return code === 'invalid_choice'
        ? `${sentence} ${Object.values(choicesOf(field)).join(', ')}`
        : sentence;
    });
    return sentences.join('; ');
  };
}
