import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import { csvFile } from '../http/csv.ts';
import { answer, operation, type Operation } from '../http/endpoint.ts';
import type { Known, Sheet } from './columns.ts';
import { keepApostrophe } from './csv.ts';
import { HEADERS, LANGUAGES } from './headers.ts';
import { findCompanyNames, findPeopleNames, findTimeZone } from './store.ts';

type Page<Row> = { data: Row[]; page: { next_cursor?: string | null } };

/** Parameters of a list that say which page of it: a file holds them all. */
const PAGING = new Set(['limit', 'offset', 'cursor', 'include']);

const language = z
  .enum(LANGUAGES)
  .optional()
  .meta({ description: 'Of the header row and of fixed values; `nb` when absent.' });

/**
 * A list as a CSV file, with the filters and the sort of the list. The pages are those of the list itself, read
 * while the file is sent: one at a time, as fast as the browser takes it.
 * @param list the operation that answers the pages
 * @param as.more parameters that each page is asked with
 */
export function exportList<Row extends { id: string }>(
  list: Operation<never>,
  as: {
    operationId: string;
    fileName: string;
    tag: string;
    sheet: Sheet<Row>;
    more?: Record<string, string>;
  },
) {
  const { sheet } = as;
  const filters = Object.entries(list.query?.shape ?? {}).filter(([name]) => !PAGING.has(name));
  return operation({
    operationId: as.operationId,
    summary: 'Export a list as CSV',
    description:
      'Everything that the filters leave, UTF-8 with semicolons. A cell that begins like a formula has an apostrophe before it.',
    tag: as.tag,
    query: z.strictObject({ ...(Object.fromEntries(filters) as Record<string, z.ZodType>), language }),
    outcomes: { 200: 'The file.' },
    answers: { 200: z.void() },
    fails: [],
    async handle({ query, ...request }) {
      const { language = 'nb', ...given } = query;
      const { tenant } = request;
      const timeZone = (await tenant.row(findTimeZone, {}))?.time_zone ?? 'UTC';
      const readPage = async (cursor: string) => {
        const asked = { ...given, ...as.more, limit: 100, cursor };
        const { body } = await list.handle({ ...request, query: asked });
        const { data, page } = body as Page<Row>;
        const known = { language, timeZone, ...(await findKnown(tenant, sheet, data)) };
        const rows = data.map((row) => sheet.columns.map(([, cell]) => keepApostrophe(cell(row, known))));
        return { rows, next: page.next_cursor ?? null };
      };
      // What is wrong with the request, or with the database, is answered while there is no file yet.
      const first = await readPage('');
      const header = sheet.columns.map(([field]) => HEADERS[field][language]);
      return answer(200, undefined, {
        download: csvFile(`${as.fileName}.csv`, header, rowsFrom(first, readPage)),
      });
    },
  });
}

type Part = { rows: string[][]; next: string | null };

async function* rowsFrom(first: Part, readPage: (cursor: string) => Promise<Part>): AsyncGenerator<string[]> {
  for (let part = first; ; part = await readPage(part.next)) {
    yield* part.rows;
    if (part.next === null) return;
  }
}

async function findKnown<Row>(
  tenant: Tenant,
  { people, companies }: Sheet<Row>,
  rows: readonly Row[],
): Promise<Pick<Known, 'people' | 'companies'>> {
  const idsOf = (of: (row: Row) => readonly (string | null)[]) => [
    ...new Set(rows.flatMap(of).filter((id) => id !== null)),
  ];
  const [persons, units] = [idsOf(people), idsOf(companies)];
  const [names, numbers] = await Promise.all([
    persons.length > 0 ? tenant.rows(findPeopleNames, { ids: persons }) : [],
    units.length > 0 ? tenant.rows(findCompanyNames, { ids: units }) : [],
  ]);
  return {
    people: new Map(names.map(({ id, name }) => [id, name])),
    companies: new Map(numbers.map(({ id, ...company }) => [id, company])),
  };
}
