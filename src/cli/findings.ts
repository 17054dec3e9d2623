import { CommandError, printRows } from './output.ts';

/** The result of one check; `advice` says what to do if it failed; `warning` is a concern about a check that passed. */
export type Finding = { check: string; ok: boolean; found: string; advice?: string; warning?: string };

/** @throws {CommandError} when a check failed, after printing all */
export function printFindings(findings: readonly Finding[], options: { json?: boolean }): void {
  if (options.json) {
    const shown = findings.map(({ advice, ...finding }) => (finding.ok ? finding : { ...finding, advice }));
    printRows(shown, options);
  } else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    for (const finding of findings) console.log(line(finding, width));
  }
  const failed = findings.filter(({ ok }) => !ok);
  if (failed.length > 0) throw new CommandError(`${failed.length} of ${findings.length} checks failed`);
}

function line({ check, ok, found, advice, warning }: Finding, width: number): string {
  const state = ok ? (warning ? 'warn' : 'ok  ') : 'FAIL';
  const more = ok ? warning !== found && warning : advice;
  return `${state}  ${check.padEnd(width)} ${found}${more ? `\n${' '.repeat(width + 7)}→ ${more}` : ''}`;
}
