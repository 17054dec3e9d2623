import { useEffect, useRef } from 'react';
import {
  Input,
  Label,
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
  Text,
} from 'react-aria-components';
import { FieldFault, type FieldText } from './text-field.tsx';
import './field.css';

/** A whole number as the language writes it; `unit` stands behind it: kr, %. */
export function NumberField({
  label,
  hideLabel = false,
  hint,
  error,
  unit,
  ...props
}: FieldText & { error?: string | undefined; unit?: string } & Omit<
    AriaNumberFieldProps,
    'children' | 'className' | 'style' | 'isInvalid'
  >) {
  const input = useCommitOnSubmit();
  return (
    <AriaNumberField
      formatOptions={{ maximumFractionDigits: 0 }}
      {...props}
      {...(error ? { isInvalid: true } : {})}
      className="field"
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <div className="field-group field-number">
        <Input ref={input} />
        {unit && <span className="muted">{unit}</span>}
      </div>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldFault error={error} />
    </AriaNumberField>
  );
}

/** What was typed counts once the field is left, which a press of the form's button does not do. */
function useCommitOnSubmit() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = input.current?.form;
    const commit = () => {
      if (document.activeElement !== input.current) return;
      input.current?.blur();
      input.current?.focus();
    };
    form?.addEventListener('submit', commit, true);
    return () => form?.removeEventListener('submit', commit, true);
  }, []);
  return input;
}
