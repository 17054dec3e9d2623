import { Problem } from '../http/problem.ts';
import { hasValidCheckDigit } from '../register/check-digit.ts';
import { RegisterUnavailable, type Register, type RegisterAnswer } from '../register/register.ts';

/** A number with a wrong check digit belongs to no unit and needs no look-up. */
type Answer = RegisterAnswer | { outcome: 'invalid' };

/** @throws {Problem} register_unavailable */
export async function findInRegister(register: Register, orgnr: string): Promise<Answer> {
  return hasValidCheckDigit(orgnr) ? ask(register, () => register.find(orgnr)) : { outcome: 'invalid' };
}

/** Asks the register. @throws {Problem} register_unavailable */
export async function ask<T>(register: Register, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    if (!(cause instanceof RegisterUnavailable)) throw cause;
    throw unavailable(register, cause);
  }
}

export function unavailable(register: Register, cause: RegisterUnavailable): Problem {
  return new Problem(
    'register_unavailable',
    `${describeFault(register, cause)}; wait as Retry-After says. Nothing was created`,
    {
      cause,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(cause.retryAfterSeconds))) },
    },
  );
}

function describeFault({ title }: Register, { fault }: RegisterUnavailable): string {
  switch (fault) {
    case 'unit':
      return `The record of this number in the ${title} cannot be read, but other numbers are not affected`;
    case 'limit':
      return `This service has reached its own limit of requests to the ${title}`;
    default:
      return `The ${title} is unavailable`;
  }
}

/** The error for a number that cannot be used. @param at the field or parameter that holds it */
export function notInRegister(
  register: Register,
  orgnr: string,
  answer: Exclude<Answer, { outcome: 'found' }>,
  at: { field: string; status?: number },
): Problem {
  const message = describeAbsence(register, orgnr, answer);
  const details = [{ field: at.field, message }];
  return new Problem('not_in_register', message, { details, ...(at.status && { status: at.status }) });
}

function describeAbsence(
  { title }: Register,
  orgnr: string,
  answer: Exclude<Answer, { outcome: 'found' }>,
): string {
  switch (answer.outcome) {
    case 'invalid':
      return `${orgnr} is not an organisation number: its check digit is wrong`;
    case 'dissolved':
      return `${orgnr} was deleted from the ${title} on ${answer.on}`;
    case 'removed':
      return `${orgnr} was removed from the ${title}${answer.on ? ` on ${answer.on}` : ''}`;
    default:
      return `${orgnr} is not in the ${title}`;
  }
}
