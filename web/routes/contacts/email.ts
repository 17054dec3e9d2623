import { useWords } from '../../words/dictionary.ts';
import { contactsWords } from './words.ts';

/** For the `validate` of a field: why a text is no e-mail address, in the person's language. Empty is no fault. */
export function useEmailCheck(): (text: string) => string | null {
  const { notEmail } = useWords(contactsWords);
  return (text) => {
    if (text.trim() === '') return null;
    const input = document.createElement('input');
    input.type = 'email';
    input.value = text;
    return input.validity.valid ? null : notEmail;
  };
}
