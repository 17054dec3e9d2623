import type { ProblemCode, Rule } from '../../src/http/problem.ts';

/** `message` is English. A rule that a form's input can break is named in `rule`, so that pages have words for it. */
export type Detail = { field?: string; message: string; rule?: Rule };

/** An answer of 400 or above. `error` is English; `problemText` says it in the person's language. */
export class CallProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly Detail[];
  readonly requestId: string | undefined;

  constructor(answer: {
    status: number;
    code: string;
    error: string;
    details: readonly Detail[];
    requestId: string | undefined;
  }) {
    super(answer.error);
    this.name = 'CallProblem';
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details;
    this.requestId = answer.requestId;
  }
}

/** No answer of the service came: this machine or the service is offline, or a proxy answered in its place. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('no answer', { cause });
    this.name = 'Unreachable';
  }
}

/** A failure that a page explains itself, in the person's language. */
export class Explained extends Error {}

/** Somebody else has changed the same value meanwhile. */
export class Conflict extends Explained {}

/** Whether a save failed because somebody else saved first: saving again overwrites their change. */
export function isConflict(error: unknown): boolean {
  return error instanceof Conflict || isProblem(error, 'precondition_failed');
}

/** Whether the same request may succeed later, perhaps in another workspace: it was not refused for its content. */
export function canBeSentAgain(error: unknown): boolean {
  if (error instanceof Unreachable || isConflict(error) || isProblem(error, 'workspace_changed')) return true;
  return error instanceof CallProblem && (error.status >= 500 || [401, 408, 429].includes(error.status));
}

/**
 * Whether what was sent may have been carried out: no answer of the service came, or one that it also gives when the
 * database does not say whether it has stored it.
 */
export function mayBeDone(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof CallProblem && error.status >= 500);
}

export function isProblem(error: unknown, code: ProblemCode): error is CallProblem {
  return error instanceof CallProblem && error.code === code;
}
