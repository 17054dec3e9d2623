import { CommandError, printRows } from './output.ts';

/** One thing looked at; `advice` says what to do when it is not well, `warning` what is odd though it may be. */
export type Finding = { check: string; ok: boolean; found: string; advice?: string; warning?: string };

/** @throws {CommandError} when something is wrong, after printing what */
export function printFindings(findings: readonly Finding[], options: { json?: boolean }): void {
  if (options.json) {
    const told = findings.map(({ advice, ...finding }) => (finding.ok ? finding : { ...finding, advice }));
    printRows(told, options);
  } else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    for (const finding of findings) console.log(line(finding, width));
  }
  const ill = findings.filter(({ ok }) => !ok);
  if (ill.length > 0) throw new CommandError(`${ill.length} of ${findings.length} checks failed`);
}

function line({ check, ok, found, advice, warning }: Finding, width: number): string {
  const state = ok ? (warning ? 'warn' : 'ok  ') : 'FAIL';
  return `${state}  ${check.padEnd(width)} ${found}${ok || !advice ? '' : `\n${' '.repeat(width + 7)}→ ${advice}`}`;
}
