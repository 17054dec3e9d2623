/** What begins with these a spreadsheet takes for a formula: the writer of files puts an apostrophe before it. */
const PROTECTED = /^'+[=+\-@\t\r＝＋－＠]/;

/** Text that has an apostrophe there of its own gets another one, so that taking one away gives it back. */
export function keepApostrophe(cell: string): string {
  return PROTECTED.test(cell) ? `'${cell}` : cell;
}

/** Takes the apostrophe before a formula away again. */
export function unprotectFormula(cell: string): string {
  return PROTECTED.test(cell) ? cell.slice(1) : cell;
}
