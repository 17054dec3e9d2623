import { useContext, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { CallProblem, type Detail } from '../client/problem.ts';
import { failureWords } from '../frame/failure-words.ts';
import { useTellIfLeft } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useDetailText, useProblemText } from '../words/problems.ts';
import { Button, type ButtonLook } from './button.tsx';
import { Submission } from './submission.ts';
import './form.css';

type Values = Readonly<Record<string, string>>;

/**
 * A form whose fields have the names of the API's fields: an error that names one is shown at it, any other
 * above the buttons. What was typed stays. While `onSubmit` runs, submitting again does nothing, and its fields can
 * only be read: what is typed then would not be sent, and would be gone when the form closes.
 */
export function Form({
  onSubmit,
  onCancel,
  ownWords,
  check,
  keepsTyped = false,
  children,
}: {
  onSubmit: (values: Values) => Promise<void>;
  /** Checks what no field checks by itself, and shows these faults at each try to submit, with those of the fields. */
  check?: () => boolean;
  /** For a form that stays once it is sent, and keeps what is typed meanwhile for the next time. */
  keepsTyped?: boolean;
  /** For a form that is part of a page: Escape closes it. Dialogs do so themselves. */
  onCancel?: () => void;
  /** Sentences for error codes that mean more here than elsewhere. */
  ownWords?: Readonly<Record<string, string>>;
  children: ReactNode;
}) {
  const text = useProblemText();
  const detailText = useDetailText();
  const tellIfLeft = useTellIfLeft();
  const { requestId } = useWords(failureWords);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const submission = useMemo(
    () => ({ isPending, isLocked: isPending && !keepsTyped, problem }),
    [isPending, keepsTyped, problem],
  );

  const submit = async (form: HTMLFormElement) => {
    const values = valuesOf(form);
    setIsPending(true);
    setProblem(undefined);
    setErrors({});
    try {
      await onSubmit(values);
    } catch (error) {
      tellIfLeft(text(error, ownWords));
      const named = Object.fromEntries(
        detailsOf(error, values).map((detail) => [detail.field!, detailText(detail)]),
      );
      setErrors(named);
      if (Object.keys(named).length === 0) setProblem(problemOf(error));
    } finally {
      setIsPending(false);
    }
  };

  const problemOf = (error: unknown) => {
    const said = text(error, ownWords);
    if (!(error instanceof CallProblem) || error.status < 500 || !error.requestId) return said;
    return `${said} ${requestId(error.requestId)}`;
  };

  return (
    <AriaForm
      className="form"
      validationErrors={errors}
      onInvalid={() => check?.()}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending && check?.() !== false) void submit(event.currentTarget);
      }}
      {...(onCancel && {
        onKeyDown: (event: KeyboardEvent<HTMLFormElement>) => isEscape(event) && onCancel(),
      })}
    >
      <Submission value={submission}>{children}</Submission>
    </AriaForm>
  );
}

/** Submits the form that it is in, and says above why that failed. */
export function SubmitButton(props: ButtonLook & { children: ReactNode }) {
  const { isPending, problem } = useContext(Submission);
  return (
    <>
      <div role="alert" className="form-problem">
        {problem}
      </div>
      <Button type="submit" isPending={isPending} {...props} />
    </>
  );
}

function valuesOf(form: HTMLFormElement): Values {
  const texts = [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** The details of an error that name fields of the form. */
function detailsOf(error: unknown, values: Values): readonly Detail[] {
  if (!(error instanceof CallProblem)) return [];
  return error.details.filter(({ field }) => field !== undefined && Object.hasOwn(values, field));
}

/** A list that is open over the form closes first, and keeps the key to itself. */
function isEscape({ key, defaultPrevented, target, currentTarget }: KeyboardEvent<HTMLFormElement>): boolean {
  return key === 'Escape' && !defaultPrevented && currentTarget.contains(target as Node);
}
