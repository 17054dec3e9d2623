import { z } from 'zod';
import type { Rule } from './problem.ts';

/** The message for a field that is missing. */
export const REQUIRED = 'is required';

const EMAIL = String(z.regexes.html5Email);

/** Which rule a value breaks. Undefined for values that no form sends: they have only a message. */
export function ruleOf(issue: z.core.$ZodIssue): Rule | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message === REQUIRED) return 'required';
      return issue.expected === 'int' || issue.expected === 'number' ? 'number' : undefined;
    case 'invalid_value':
      return issue.message === REQUIRED ? 'required' : 'choice';
    case 'too_small':
      return issue.origin === 'string' ? 'too_short' : 'number';
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : 'number';
    case 'invalid_format':
      return issue.pattern === EMAIL ? 'email' : undefined;
    case 'custom':
      return issue.params?.['rule'] as Rule | undefined;
    default:
      return undefined;
  }
}

/** For a schema's own check: its message, and the rule that a value breaks. */
export function breaks(rule: Rule, message: string): { message: string; params: { rule: Rule } } {
  return { message, params: { rule } };
}
