import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import { findNamedCompanies } from '../companies/named.ts';
import { answer, noContent, operation, type Operation } from '../http/endpoint.ts';
import { uuid } from '../http/fields.ts';
import { findNamedPeople } from '../members/named.ts';
import { LANGUAGES } from '../workspaces/schema.ts';
import { findTimeZone } from '../workspaces/store.ts';
import type { CellContext, Sheet } from './columns.ts';
import { csvFile, keepApostrophe, mustStillBeGood } from './file.ts';
import { COLUMN_NAMES } from './headers.ts';

type Page<Row> = { data: Row[]; page: { next_cursor?: string | null } };

/** Parameters of a list that select a page; a file holds all pages. */
const PAGING = new Set(['limit', 'offset', 'cursor', 'include']);

/** What every file takes besides the filters of its list. */
export const fileQuery = {
  language: z
    .enum(LANGUAGES)
    .optional()
    .meta({ description: 'Of the header row and of fixed values; `nb` when absent.' }),
  workspace: uuid
    .optional()
    .meta({ description: 'The workspace that the page shows; a session in another one is refused.' }),
};

/**
 * A list as a CSV file, with the filters and the sort of the list. Its pages are read while the file is sent: one at
 * a time, as fast as the browser receives them.
 * @param list the operation that answers the pages
 */
export function exportList<Row extends { id: string }>(list: Operation<never>, sheet: Sheet<Row>) {
  const filters = Object.entries(list.query?.shape ?? {}).filter(([name]) => !PAGING.has(name));
  return operation({
    operationId: `export${sheet.name.charAt(0).toUpperCase()}${sheet.name.slice(1)}`,
    summary: 'Export a list as CSV',
    description:
      'All rows that match the filters, in UTF-8 with semicolons, in order of id unless `sort` is given. Sorted by a time of change, the file can lack a row that changes meanwhile, or have it twice. A cell that begins like a formula has an apostrophe before it.',
    query: z.strictObject({ ...(Object.fromEntries(filters) as Record<string, z.ZodType>), ...fileQuery }),
    answers: { 200: noContent },
    fails: [],
    async handle({ query, ...request }) {
      const { language = 'nb', workspace: _shown, ...given } = query;
      const { tenant } = request;
      const { time_zone: timeZone } = (await tenant.row(findTimeZone, {}))!;
      const readPage = async (cursor: string) => {
        const asked = { sort: 'id', ...given, ...sheet.more, limit: 100, cursor };
        const { body } = await list.handle({ ...request, query: asked });
        if (cursor !== '') await mustStillBeGood(request.caller);
        const { data, page } = body as Page<Row>;
        const context = { language, timeZone, ...(await findNames(tenant, sheet, data)) };
        const rows = data.map((row) => sheet.columns.map(([, cell]) => keepApostrophe(cell(row, context))));
        return { rows, next: page.next_cursor ?? null };
      };
      // The first page is read before the file begins, so that an error can still be answered.
      const first = await readPage('');
      const header = sheet.columns.map(([field]) => COLUMN_NAMES[field][language]);
      return answer(200, undefined, {
        download: csvFile(`${sheet.name}.csv`, header, rowsFrom(first, readPage)),
      });
    },
  });
}

type RowPage = { rows: string[][]; next: string | null };

async function* rowsFrom(
  first: RowPage,
  readPage: (cursor: string) => Promise<RowPage>,
): AsyncGenerator<string[]> {
  for (let part = first; ; part = await readPage(part.next)) {
    yield* part.rows;
    if (part.next === null) return;
  }
}

export async function findNames<Row>(
  tenant: Tenant,
  { people: peopleOf, companies: companiesOf }: Pick<Sheet<Row>, 'people' | 'companies'>,
  rows: readonly Row[],
): Promise<Pick<CellContext, 'people' | 'companies'>> {
  const idsOf = (of: (row: Row) => readonly (string | null)[]) => [
    ...new Set(rows.flatMap(of).filter((id) => id !== null)),
  ];
  const [userIds, companyIds] = [idsOf(peopleOf), idsOf(companiesOf)];
  const [users, companies] = await Promise.all([
    userIds.length > 0 ? tenant.rows(findNamedPeople, { ids: userIds }) : [],
    companyIds.length > 0 ? tenant.rows(findNamedCompanies, { ids: companyIds, orgnrs: [] }) : [],
  ]);
  return {
    people: new Map(users.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()])),
    companies: new Map(companies.map((company) => [company.id, company])),
  };
}
