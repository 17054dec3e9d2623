import { z } from 'zod';
import { UsageError } from './output.ts';

/**
 * Checks the options of a command; names are those commander gives, `--owner-email` as `ownerEmail`.
 * @throws {UsageError} naming every offending option at once
 */
export function parseOptions<Shape extends z.ZodRawShape>(
  options: unknown,
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const result = z.object(shape).safeParse(options);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    (issue) => `--${kebab(String(issue.path[0]))} ${issue.message.toLowerCase()}`,
  );
  throw new UsageError([...new Set(faults)].join('\n'));
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
