import { dictionary, useWords } from '../words/dictionary.ts';

const words = dictionary(
  {
    note: 'Dette er et prøveregister med rundt femti selskaper, for eksempel Equinor og Telenor. REGISTER=national slår opp i hele Enhetsregisteret.',
  },
  {
    note: 'This is a trial register of some fifty companies, such as Equinor and Telenor. REGISTER=national looks companies up in the whole Norwegian register.',
  },
);

/** Which register the service looks companies up in, as its page says. */
const register = document.querySelector<HTMLMetaElement>('meta[name="register"]')?.content;

/** Says that the register is the sandbox, where somebody may look for a company that it does not have. */
export function SandboxNote({ className }: { className: string }) {
  const { note } = useWords(words);
  return register === 'sandbox' && <p className={className}>{note}</p>;
}
