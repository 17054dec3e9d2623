import { FieldError } from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { faults, ruleOf } from '../words/faults.ts';

/** Why a field is not taken, in the page's language: `error`, else what the browser or the service found. */
export function FieldFault({ error }: { error: string | undefined }) {
  const words = useWords(faults);
  return (
    <FieldError className="field-error">
      {({ validationDetails, validationErrors }) => {
        const rule = ruleOf(validationDetails);
        return error ?? (rule ? words[rule] : validationErrors.join(' '));
      }}
    </FieldError>
  );
}
