import { useState, type ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { CallProblem } from '../client/problem.ts';
import { useProblemText } from '../words/problems.ts';
import './form.css';

type Values = Readonly<Record<string, string>>;

/**
 * A form whose fields have the names of the interface's fields: an error that names one is shown there, any other
 * above the buttons. What was typed stays. While `onSubmit` runs, submitting again does nothing.
 */
export function Form({
  onSubmit,
  ownWords,
  children,
}: {
  onSubmit: (values: Values) => Promise<void>;
  /** Sentences for codes that mean more here than elsewhere. */
  ownWords?: Readonly<Record<string, string>>;
  children: ReactNode | ((state: { isPending: boolean }) => ReactNode);
}) {
  const text = useProblemText();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string>();
  const [isPending, setIsPending] = useState(false);

  const submit = async (form: HTMLFormElement) => {
    const values = valuesOf(form);
    setIsPending(true);
    setProblem(undefined);
    setErrors({});
    try {
      await onSubmit(values);
    } catch (error) {
      const named = errorsOf(error, values);
      setErrors(named);
      if (Object.keys(named).length === 0) setProblem(text(error, ownWords));
    } finally {
      setIsPending(false);
    }
  };

  return (
    <AriaForm
      className="form"
      validationErrors={errors}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) void submit(event.currentTarget);
      }}
    >
      {typeof children === 'function' ? children({ isPending }) : children}
      <div role="alert" className="form-problem">
        {problem}
      </div>
    </AriaForm>
  );
}

function valuesOf(form: HTMLFormElement): Values {
  const texts = [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function errorsOf(error: unknown, values: Values): Record<string, string> {
  if (!(error instanceof CallProblem)) return {};
  const known = error.details.filter(({ field }) => field !== undefined && Object.hasOwn(values, field));
  return Object.fromEntries(known.map(({ field, message }) => [field!, message]));
}
