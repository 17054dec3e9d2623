import type { ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { SubmitButton } from './form.tsx';

/** Cancel and submit, at the end of a form. Where submitting cannot be undone, focus starts on Cancel. */
export function FormButtons({
  onCancel,
  kind = 'primary',
  size = 'normal',
  children,
}: {
  onCancel: () => void;
  kind?: 'primary' | 'danger';
  size?: 'normal' | 'small';
  children: ReactNode;
}) {
  const { cancel } = useWords(shared);
  return (
    <div className="form-buttons">
      <Button size={size} onPress={onCancel} autoFocus={kind === 'danger'}>
        {cancel}
      </Button>
      <SubmitButton kind={kind} size={size}>
        {children}
      </SubmitButton>
    </div>
  );
}
