import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DataDirInUse, EmbeddedPostgresError, hasCode } from './errors.ts';
import { writeDurably } from './files.ts';
import { type FolderLock, lockFolder, lockHolder } from './lock.ts';
import { type Account, run } from './run.ts';

/** The folder of one embedded server, held by this process. */
export type Home = {
  /** Holds connection.json and data. Real path: `<DATA_DIR>/postgres`, or a folder under STAGING. */
  folder: string;
  isStaged: boolean;
  /** PostgreSQL's own data folder. */
  data: string;
  /** Whom PostgreSQL runs as; undefined means as the service itself. */
  account: Account | undefined;
  release(): Promise<void>;
};

/** Where data and binaries go when root runs the service from places that no other user can reach. */
export const STAGING = '/var/lib/kundebok';

const POINTER = 'location';

/**
 * Makes and takes the folder under `dataDir` that the embedded server lives in.
 * @throws {DataDirInUse} when another process has it
 * @throws {EmbeddedPostgresError} when no usable folder can be had
 */
export async function openHome(dataDir: string): Promise<Home> {
  const root = await makeRoot(dataDir);
  const locks = [await take(root, dataDir)];
  const release = async () => {
    for (const lock of locks.toReversed()) await lock.release();
  };
  try {
    const folder = (await readPointer(root)) ?? (await chooseFolder(root));
    // Two copies of one DATA_DIR point to the same folder: that one is taken as well.
    if (folder !== root) locks.push(await take(folder, dataDir));
    const account = await chooseAccount(folder);
    return { folder, isStaged: folder !== root, data: join(folder, 'data'), account, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * The folder that a server for `dataDir` lives in, without making or taking anything.
 * @returns undefined when there has never been one
 */
export async function findHome(dataDir: string): Promise<string | undefined> {
  const root = await realpath(rootOf(dataDir)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  return root === undefined ? undefined : ((await readPointer(root)) ?? root);
}

function rootOf(dataDir: string): string {
  return join(dataDir, 'postgres');
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function makeRoot(dataDir: string): Promise<string> {
  // Another user than root has no business in the folder; PostgreSQL's user must be able to pass through.
  const mode = isRoot() ? 0o711 : 0o700;
  try {
    await mkdir(dataDir, { recursive: true, mode });
    await mkdir(rootOf(dataDir), { mode }).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    return await realpath(rootOf(dataDir));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `${dataDir} cannot be made or entered: set DATA_DIR to a folder that this user may write to`,
      { cause: error },
    );
  }
}

async function take(folder: string, dataDir: string): Promise<FolderLock> {
  const lock = await lockFolder(folder).catch((error: unknown) => {
    throw new EmbeddedPostgresError(`${folder} cannot be locked: this user must be able to write to it`, {
      cause: error,
    });
  });
  if (lock === undefined) throw new DataDirInUse(dataDir, await lockHolder(folder));
  return lock;
}

async function readPointer(root: string): Promise<string | undefined> {
  const text = await readFile(join(root, POINTER), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const folder = text.trim();
  // Starting empty instead would look like the loss of everything.
  return await realpath(folder).catch((error: unknown) => {
    throw new EmbeddedPostgresError(
      `${join(root, POINTER)} says that the data is in ${folder}, which is not there: bring the folder back, ` +
        `or remove the file ${POINTER} to start with an empty database`,
      { cause: error },
    );
  });
}

async function chooseFolder(root: string): Promise<string> {
  if (!isRoot() || (await ownerOf(join(root, 'data'))) !== undefined) return root;
  const account = await chooseAccount(root);
  const { mode, uid } = await stat(root);
  // An umask may have taken the bit that mkdir was asked for.
  if (uid === 0) await chmod(root, mode | 0o011);
  if (await canReach(root, account)) return root;
  const dataDir = dirname(root);
  if ((await isUntouched(dataDir)) && (await canReach(dirname(dataDir), account))) {
    await chown(dataDir, 0, account?.gid ?? 0);
    await chmod(dataDir, 0o710);
    if (await canReach(root, account)) return root;
  }
  return await stageFolder(root);
}

/** A DATA_DIR that root just made for the service (root:root, empty) may be opened to PostgreSQL's group. */
async function isUntouched(dataDir: string): Promise<boolean> {
  const { uid, gid } = await stat(dataDir);
  return uid === 0 && gid === 0 && (await readdir(dataDir)).join('/') === basename(rootOf(dataDir));
}

async function stageFolder(root: string): Promise<string> {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 12);
  try {
    await mkdir(STAGING, { recursive: true, mode: 0o755 });
    await chmod(STAGING, 0o755);
    // Never the name of an earlier folder: that one may hold data that was not meant for this DATA_DIR.
    const folder = await realpath(await mkdtemp(join(STAGING, `data-${hash}-`)));
    await chmod(folder, 0o711);
    await writeFile(join(folder, 'used-by'), `${dirname(root)}\n`);
    await writeDurably(join(root, POINTER), `${folder}\n`, 0o644);
    return folder;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, its user cannot reach ${root}, and ${STAGING} cannot be made: ` +
        `run the service as an ordinary user, move DATA_DIR, or set DATABASE_URL`,
      { cause: error },
    );
  }
}

async function canReach(folder: string, account: Account | undefined): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { account })).ok;
}

/** Data that exists decides who runs PostgreSQL, because only its owner can; so does an ordinary user's folder. */
async function chooseAccount(folder: string): Promise<Account | undefined> {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  const data = join(folder, 'data');
  const owner = await ownerOf(data);
  if (self !== 0) {
    if (owner === undefined || owner.uid === self) return undefined;
    throw new EmbeddedPostgresError(
      `${data} belongs to the user with uid ${owner.uid}: run the service as that user, or as root`,
    );
  }
  if (owner !== undefined) {
    if (owner.uid !== 0) return await becoming(owner);
    throw new EmbeddedPostgresError(
      `${data} belongs to root, as whom PostgreSQL does not run: give it to an unprivileged user, ` +
        `for example with chown -R nobody ${data}`,
    );
  }
  const holder = await ownerOf(folder);
  return await becoming(holder !== undefined && holder.uid !== 0 ? holder : await findSystemAccount());
}

/** @throws {EmbeddedPostgresError} when this root may not run programs as the account, as in some containers */
async function becoming(account: Account): Promise<Account> {
  const { ok, complaint } = await run('/bin/sh', ['-c', ':'], { account });
  if (ok) return account;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and this root may not run it as uid ${account.uid} (${complaint}): ` +
      'run the service as an ordinary user, or set DATABASE_URL',
  );
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function findSystemAccount(): Promise<Account> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = users.match(new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm')) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root and there is no user postgres or nobody to run it as: ' +
      'run the service as an ordinary user, or set DATABASE_URL',
  );
}
