import type { Rule } from '../../src/http/problem.ts';
import { dictionary } from './dictionary.ts';

/** What is wrong with the value of a field, by the rule that it breaks. */
export const faults = dictionary(
  {
    required: 'Fyll ut dette feltet.',
    too_long: 'Teksten er for lang.',
    too_short: 'Teksten er for kort.',
    email: 'Skriv en hel e-postadresse, som navn@firma.no.',
    date: 'Skriv en gyldig dato.',
    number: 'Skriv et helt tall innenfor grensene.',
    text: 'Teksten har tegn som ikke kan lagres.',
    choice: 'Velg en av mulighetene.',
    reference: 'Den du valgte, er ikke lenger med. Velg på nytt.',
    taken: 'Dette er allerede i bruk.',
  } satisfies Record<Rule, string>,
  {
    required: 'Fill in this field.',
    too_long: 'The text is too long.',
    too_short: 'The text is too short.',
    email: 'Write a whole email address, such as name@company.no.',
    date: 'Write a valid date.',
    number: 'Write a whole number within the limits.',
    text: 'The text has characters that cannot be stored.',
    choice: 'Choose one of the options.',
    reference: 'What you chose is no longer here. Choose again.',
    taken: 'This is already in use.',
  },
);

/** The rule that a browser found broken; undefined for what a page or the service found. */
export function ruleOf(validity: ValidityState): Rule | undefined {
  if (validity.valueMissing) return 'required';
  if (validity.tooLong) return 'too_long';
  if (validity.tooShort) return 'too_short';
  if (validity.typeMismatch) return 'email';
  const isOut = validity.rangeUnderflow || validity.rangeOverflow;
  return isOut || validity.stepMismatch || validity.badInput ? 'number' : undefined;
}
