import type { z } from 'zod';
import { orgnrIn } from '../companies/schema.ts';
import { unprotectFormula } from '../csv/file.ts';
import { oneLine } from '../csv/columns.ts';
import { isStorable, isUuid } from '../http/fields.ts';
import type { Imported } from './fields.ts';
import type { Reason, RowOfFile } from './schema.ts';

/** The lookbehind keeps a long gap within a cell cheap: only its first blank is tried. */
const BLANKS_AROUND = /^[ \t\u00A0]+|(?<![ \t\u00A0])[ \t\u00A0]+$/g;

/** What is put between cells when several columns hold one field. A field without an entry holds one value. */
const JOINED_BY: Record<Imported, Partial<Record<string, string>>> = {
  company: {},
  contact: {
    name: ' ',
    notes: '\n',
    email: '\n',
    mobile: '\n',
    telephone: '\n',
    other: '\n',
    company: '\n',
    role: '\n',
  },
  offer: { title: ' ', description: '\n' },
};

/** The cells of a row by field, without blank ones. `several`: fields of one value with several cells in the row. */
export type Given = { line: number; cells: ReadonlyMap<string, string>; several: ReadonlySet<string> };

export function byFields(resource: Imported, row: RowOfFile, columns: readonly (string | null)[]): Given {
  const cells = new Map<string, string>();
  const several = new Set<string>();
  const taken = columns.filter((field) => field !== null);
  const texts = taken.map((field, index) => {
    const cell = unprotectFormula(row.cells[index] ?? '');
    // Line breaks stay in a cell of several values: a blank first line keeps the place of the first value.
    return JOINED_BY[resource][field] === '\n' ? cell.replace(BLANKS_AROUND, '') : cell.trim();
  });
  const arePaired = resource === 'contact' && alignPairs(taken, texts);
  for (const [index, field] of taken.entries()) {
    const cell = texts[index]!;
    if (cell.trim() === '' && !(arePaired && PAIR.includes(field))) continue;
    const before = cells.get(field);
    const between = JOINED_BY[resource][field];
    if (before === undefined) cells.set(field, cell);
    else if (between === undefined) several.add(field);
    else cells.set(field, `${before}${between}${cell}`);
  }
  for (const [field, cell] of cells) if (cell.trim() === '') cells.delete(field);
  return { line: row.line, cells, several };
}

const PAIR = ['company', 'role'];

/**
 * Gives both cells of each pair, a company and its role, the same number of lines, so that roles stay with their
 * companies.
 * @returns whether there are several pairs; their blank cells then keep their places
 */
function alignPairs(fields: readonly string[], texts: string[]): boolean {
  const [companies = [], roles = []] = PAIR.map((field) =>
    fields.flatMap((each, index) => (each === field ? index : [])),
  );
  if (companies.length < 2 || companies.length !== roles.length) return false;
  for (const [at, company] of companies.entries()) {
    const role = roles[at]!;
    const more = linesOf(texts[role]!).length - linesOf(texts[company]!).length;
    texts[company] += '\n'.repeat(Math.max(0, more));
    texts[role] += '\n'.repeat(Math.max(0, -more));
  }
  return true;
}

function linesOf(cell: string): string[] {
  return cell.split(/\r\n|[\r\n]/);
}

/** Reads the cells of one row, and collects what is wrong with them. */
export class Reader {
  readonly reasons: Reason[];
  readonly #cells: ReadonlyMap<string, string>;

  constructor({ cells, several }: Given) {
    this.#cells = cells;
    this.reasons = Array.from(several, (field) => ({ field, code: 'several' }));
  }

  refuse(field: string | null, code: Reason['code']): undefined {
    this.reasons.push({ field, code });
  }

  /**
   * The cell, if the field's schema accepts it; undefined if it is blank, invalid, or the text that is stored.
   * @param stored unchanged text is not checked: an address from the register may be invalid by our rules
   */
  text(field: string, schema: z.ZodType<string | null>, stored?: string | null): string | undefined {
    const cell = this.#cells.get(field);
    if (cell === undefined || (stored !== undefined && isSameText(cell, stored))) return undefined;
    if (schema.safeParse(cell).success) return cell;
    if (!isStorable(cell)) return this.refuse(field, 'invalid_text');
    return this.refuse(field, field.startsWith('email') && cell.length <= 254 ? 'invalid_email' : 'too_long');
  }

  /** Each line of the cell; a blank one between two others keeps its place. */
  lines(field: string): string[] {
    const cell = this.#cells.get(field);
    if (cell === undefined) return [];
    const lines = linesOf(cell).map(oneLine);
    if (lines.every(isStorable)) return lines;
    this.refuse(field, 'invalid_text');
    return [];
  }

  id(): string | undefined {
    const cell = this.#cells.get('id');
    if (cell === undefined) return undefined;
    return isUuid(cell) ? cell.toLowerCase() : this.refuse('id', 'invalid_id');
  }

  /** A value, or its name in either language. */
  choice<Value extends string>(
    field: string,
    values: Readonly<Record<Value, { nb: string; en: string }>>,
  ): Value | undefined {
    const cell = this.#cells.get(field)?.toLowerCase();
    if (cell === undefined) return undefined;
    const found = Object.entries<{ nb: string; en: string }>(values).find(([value, { nb, en }]) =>
      [value, nb.toLowerCase(), en.toLowerCase()].includes(cell),
    );
    return found ? (found[0] as Value) : this.refuse(field, 'invalid_choice');
  }

  /** A whole number as people write it: `50 000`, `kr 1.000.000,00`, `NOK 1,234`, `50 %`. */
  number(field: string, most: number): number | undefined {
    const cell = this.#cells.get(field);
    if (cell === undefined) return undefined;
    // Line breaks stay, so that two numbers are not read as one.
    const bare = cell
      .trim()
      .replaceAll(/[^\S\r\n]|kr\.?|nok|%|,-/gi, '')
      .replace(/[.,]0{1,2}$/, '');
    const grouped = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.test(bare) ? bare.replaceAll(/[.,]/g, '') : bare;
    const value = /^\d{1,16}$/.test(grouped) ? Number(grouped) : NaN;
    return value <= most && Number.isSafeInteger(value) ? value : this.refuse(field, 'invalid_number');
  }

  orgnr(field: string): string | undefined {
    const cell = this.#cells.get(field);
    return cell === undefined ? undefined : this.orgnrOf(field, cell);
  }

  orgnrOf(field: string, text: string): string | undefined {
    return orgnrIn(text) ?? this.refuse(field, 'invalid_orgnr');
  }

  raw(field: string): string | undefined {
    return this.#cells.get(field);
  }

  require(field: string): void {
    if (!this.#cells.has(field)) this.refuse(field, 'required');
  }
}

/** Leaves out the fields that a row does not state. */
export function stated<Fields extends object>(given: { [Field in keyof Fields]: Fields[Field] | undefined }) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Fields;
}

/** The given fields that differ from the stored ones. */
export function changesOf<Fields extends object>(given: Fields, stored: Required<Fields>): Fields {
  const differ = Object.entries(given).filter(([field, value]) => value !== stored[field as keyof Fields]);
  return Object.fromEntries(differ) as Fields;
}

/** Whether text of a file equals stored text: a file loses surrounding blanks and the kind of line breaks. */
export function isSameText(given: string, stored: string | null): boolean {
  return given === (stored ?? '') || trimText(given) === trimText(stored ?? '');
}

function trimText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim();
}
