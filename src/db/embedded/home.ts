import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DataDirInUse, EmbeddedPostgresError, hasCode } from './errors.ts';
import { writeDurably } from './files.ts';
import { lockFolder, lockHolder } from './lock.ts';
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
const STAGING = '/var/lib/kundebok';

const POINTER = 'location';

/**
 * Makes and takes the folder under `dataDir` that the embedded server lives in.
 * @throws {DataDirInUse} when another process has it
 */
export async function openHome(dataDir: string): Promise<Home> {
  await using undo = new AsyncDisposableStack();
  async function take(folder: string): Promise<void> {
    const lock = await lockFolder(folder);
    if (lock === undefined) throw new DataDirInUse(dataDir, await lockHolder(folder));
    undo.defer(() => lock.release());
  }

  // Another user than root has no business in the folder; PostgreSQL's user must be able to pass through.
  await mkdir(rootOf(dataDir), { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const root = await realpath(rootOf(dataDir));
  await take(root);
  const folder = (await readPointer(root)) ?? (await chooseFolder(root));
  // Two copies of one DATA_DIR point to the same folder: that one is taken as well.
  if (folder !== root) await take(folder);
  const account = await chooseAccount(folder);
  const locks = undo.move();
  const release = () => locks.disposeAsync();
  return { folder, isStaged: folder !== root, data: join(folder, 'data'), account, release };
}

/**
 * The folder that a server for `dataDir` lives in, without making or taking anything.
 * @returns undefined when there has never been one
 */
export async function findHome(dataDir: string): Promise<string | undefined> {
  try {
    const root = await realpath(rootOf(dataDir));
    return (await readPointer(root)) ?? root;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Open to every user, whatever the umask. */
export async function makeStaging(): Promise<string> {
  await mkdir(STAGING, { recursive: true });
  await chmod(STAGING, 0o755);
  return STAGING;
}

function rootOf(dataDir: string): string {
  return join(dataDir, 'postgres');
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function readPointer(root: string): Promise<string | undefined> {
  const pointer = join(root, POINTER);
  if (!existsSync(pointer)) return undefined;
  const folder = (await readFile(pointer, 'utf8')).trim();
  if (existsSync(folder)) return await realpath(folder);
  // Starting empty instead would look like the loss of everything.
  throw new EmbeddedPostgresError(
    `${pointer} says that the data are in ${folder}, which is not there: bring the folder back, ` +
      `or remove the file ${POINTER} to start with an empty database`,
  );
}

/** PostgreSQL does not run as root, and the user it runs as must be able to reach its data. */
async function chooseFolder(root: string): Promise<string> {
  if (!isRoot() || existsSync(join(root, 'data'))) return root;
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

async function canReach(folder: string, account: Account | undefined): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { account })).ok;
}

/** A DATA_DIR that root just made for the service (root:root, empty) may be opened to PostgreSQL's group. */
async function isUntouched(dataDir: string): Promise<boolean> {
  const { uid, gid } = await stat(dataDir);
  return uid === 0 && gid === 0 && (await readdir(dataDir)).join('/') === basename(rootOf(dataDir));
}

async function stageFolder(root: string): Promise<string> {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 12);
  // Never the name of an earlier folder: that one may hold data that was not meant for this DATA_DIR.
  const folder = await realpath(await mkdtemp(join(await makeStaging(), `data-${hash}-`)));
  await chmod(folder, 0o711);
  await writeFile(join(folder, 'used-by'), `${dirname(root)}\n`);
  await writeDurably(join(root, POINTER), `${folder}\n`, 0o644);
  return folder;
}

/** Data that exist decide who runs PostgreSQL, because only their owner can; so does an ordinary user's folder. */
async function chooseAccount(folder: string): Promise<Account | undefined> {
  const data = join(folder, 'data');
  const owner = existsSync(data) ? await stat(data) : undefined;
  if (!isRoot()) {
    if (owner === undefined || owner.uid === process.getuid?.()) return undefined;
    throw new EmbeddedPostgresError(
      `${data} belongs to the user with uid ${owner.uid}: run the service as that user, or as root`,
    );
  }
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `${data} belongs to root, as whom PostgreSQL does not run: give it to an unprivileged user, ` +
        `for example with chown -R nobody ${data}`,
    );
  }
  const { uid, gid } = owner ?? (await stat(folder));
  const account = uid === 0 ? await findSystemAccount() : { uid, gid };
  const { ok, complaint } = await run('/bin/sh', ['-c', ':'], { account });
  if (ok) return account;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and this root may not run it as uid ${account.uid} (${complaint}): ` +
      'run the service as an ordinary user, or set DATABASE_URL',
  );
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
