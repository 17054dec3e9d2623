import { z } from 'zod';
import { UsageError } from './output.ts';

/**
 * Checks the options of a command; their names are commander's, `--owner-email` as `ownerEmail`.
 * @param arguments_ names in `shape` that are arguments, not options
 * @throws {UsageError} naming every invalid option
 */
export function parseOptions<Shape extends z.ZodRawShape>(
  options: unknown,
  shape: Shape,
  arguments_: readonly string[] = [],
): z.output<z.ZodObject<Shape>> {
  const result = z.object(shape).safeParse(options);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path: [name], message }) => `${shown(String(name), arguments_)} ${message}`,
  );
  throw new UsageError([...new Set(faults)].join('\n'));
}

function shown(name: string, arguments_: readonly string[]): string {
  if (arguments_.includes(name)) return `<${name}>`;
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
