/** A mistake in how a command was called; printed without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure of a command; printed without a stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Prints one result: as JSON, or as lines of label and value. */
export function printResult(result: Record<string, unknown>, { json }: { json?: boolean }): void {
  if (json) {
    console.log(JSON.stringify(result));
    return;
  }
  const width = Math.max(...Object.keys(result).map((label) => label.length));
  for (const [label, value] of Object.entries(result)) console.log(`${label.padEnd(width)}  ${shown(value)}`);
}

/** Prints a sentence for people, beside a result. */
export function printText(text: string): void {
  console.log(text);
}

/** Prints rows: as JSON, or as a table, with `none` for an empty one. */
export function printRows(rows: readonly Record<string, unknown>[], { json }: { json?: boolean }): void {
  if (json) {
    console.log(JSON.stringify(rows));
    return;
  }
  if (rows.length === 0) {
    console.log('none');
    return;
  }
  const labels = Object.keys(rows[0] ?? {});
  const lines = [labels, ...rows.map((row) => labels.map((label) => shown(row[label])))];
  const widths = labels.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.length === 0) return 'none';
  // A name that a user has chosen must not add lines to the output or control the terminal.
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
