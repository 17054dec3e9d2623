import Papa from 'papaparse';
import type { Client } from './client.ts';

type Resource = 'company' | 'contact' | 'offer';
type Cells = readonly (readonly string[])[];

// oxlint-disable-next-line typescript/no-explicit-any -- an answer's `data`
type Data = any;

/** The rows of a file as the application reads them, the header first. */
export function parseFile(text: string): string[][] {
  return Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { delimiter: ';', skipEmptyLines: true }).data;
}

/** Asks what would become of the rows below a header, with the columns that the service guesses. */
export async function check(browser: Client, resource: Resource, file: Cells): Promise<Data> {
  const columns = await guess(browser, resource, file);
  const answer = await browser.post('/import-checks', {
    resource,
    columns,
    rows: numbered(taken(columns, file)),
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/** Imports the rows below a header. @returns the import, with what became of each row */
export async function importFile(browser: Client, resource: Resource, file: Cells): Promise<Data> {
  const columns = await guess(browser, resource, file);
  const about = { resource, columns, file_name: 'fil.csv', row_count: file.length - 1 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const answer = await browser.post(`/imports/${id}/rows`, { rows: numbered(taken(columns, file)) });
  if (answer.status !== 200) throw new Error(answer.text);
  return { id, rows: answer.body.data, ...(await browser.get(`/imports/${id}`)).body.data };
}

/** The rows below the header, with their line numbers in the file. */
export function numbered(file: Cells) {
  return file.slice(1).map((cells, index) => ({ line: index + 2, cells }));
}

function taken(columns: readonly (string | null)[], file: Cells): string[][] {
  return file.map((row) => row.filter((_, index) => columns[index] !== null));
}

async function guess(browser: Client, resource: Resource, file: Cells): Promise<(string | null)[]> {
  return (await browser.post('/import-guesses', { resource, rows: file.slice(0, 5) })).body.data.columns;
}
