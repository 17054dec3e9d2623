import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Listing } from '../src/db/listing-shape.ts';
import { listStatements } from '../src/db/statement.ts';
import { compileShapes, listsOf } from './list-shapes.ts';
import { ROOT } from './service.ts';

/** Every statement of the service, those of lists with each filter and sort. */
export async function allStatements(): Promise<ReturnType<typeof listStatements>> {
  compileShapes(await allLists());
  return listStatements();
}

/** Every list that is paged by cursor. */
export async function allLists(): Promise<Listing[]> {
  // Only files that compile statements or have a list: some of the others are programs, which would run when loaded.
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/**/*.test.ts'] })
    .map((file) => join(ROOT, file))
    .filter((file) =>
      /\b(?:statement|statementBy|reading|pruning)\(|: Listing<|\bwithUpdate\(/.test(
        readFileSync(file, 'utf8'),
      ),
    );
  return listsOf(await Promise.all(files.map((file) => import(file))));
}

/** Whether PostgreSQL can prepare a statement: not those that set something or lock a table. */
export function canBePrepared({ text }: { text: string }): boolean {
  return !/^(?:set|lock)\b/.test(text);
}
