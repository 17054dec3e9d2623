/** What a file begins with, so that Excel takes it for UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** What a spreadsheet would take for a formula, and what was written with an apostrophe already. */
const FORMULA = /^'*[=+\-@\t\r]/;
const PROTECTED = /^'+[=+\-@\t\r]/;

/** One line of a file as Norwegian Excel expects it: semicolons, CRLF, and nothing that is run as a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => quoted(protectFormula(cell))).join(';')}\r\n`;
}

/** A cell that begins like a formula gets an apostrophe more than it has. */
function protectFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Takes the apostrophe away again. */
export function unprotectFormula(cell: string): string {
  return PROTECTED.test(cell) ? cell.slice(1) : cell;
}

function quoted(cell: string): string {
  return /[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
