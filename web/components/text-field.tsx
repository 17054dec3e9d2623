import type { FormEvent, HTMLAttributes, HTMLInputTypeAttribute } from 'react';
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { faults, ruleOf } from '../words/problems.ts';
import { useIsLocked } from './submission.ts';
import './field.css';

export type FieldText = {
  label: string;
  /** Leaves the label to screen readers, where the place shows what the field is. */
  hideLabel?: boolean;
  /** What to write, below the field. */
  hint?: string | undefined;
};

/** One line, or several with `rows`. Errors come from the form around it, by `name`, or from `error`. */
export function TextField({
  label,
  hideLabel = false,
  hint,
  error,
  rows,
  placeholder,
  isReadOnly = false,
  ...props
}: FieldText & {
  error?: string | undefined;
  rows?: number;
  placeholder?: string;
  type?: HTMLInputTypeAttribute;
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
} & Omit<AriaTextFieldProps, 'children' | 'className' | 'style' | 'isInvalid' | 'type'>) {
  const isLocked = useIsLocked();
  return (
    <AriaTextField
      {...props}
      isReadOnly={isReadOnly || isLocked}
      {...(error ? { isInvalid: true } : {})}
      className="field"
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      {rows === undefined ? (
        <Input className="field-input" placeholder={placeholder} onInput={checkAgain} />
      ) : (
        <TextArea className="field-input" rows={rows} placeholder={placeholder} onInput={checkAgain} />
      )}
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldFault error={error} />
    </AriaTextField>
  );
}

/**
 * An error disappears as soon as the field is valid. React Aria waits until the field is left, and the line that
 * disappears then moves the button away from under the pointer that presses it.
 */
export function checkAgain({ currentTarget }: FormEvent<HTMLElement>): void {
  if (currentTarget.ariaInvalid === 'true') currentTarget.dispatchEvent(new Event('change'));
}

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
