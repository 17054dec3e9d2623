import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError, hasCode } from './errors.ts';
import { writeDurably } from './files.ts';
import { lockFolder } from './lock.ts';
import { type Account, run } from './run.ts';

// PostgreSQL does not run as root. When the service does, this file chooses the user that PostgreSQL runs as, and
// a folder that this user can reach.

/** The folder of one embedded server, locked by this process. */
export type Home = {
  /** Holds connection.json and data. Real path: `<DATA_DIR>/postgres`, or a folder under STAGING. */
  folder: string;
  isStaged: boolean;
  /** PostgreSQL's own data folder. */
  data: string;
  /** The user that PostgreSQL runs as; undefined means as the service itself. */
  account: Account | undefined;
  release(): Promise<void>;
};

/** For data and binaries of a service that runs as root, when no other user can reach its folders. */
const STAGING = '/var/lib/kundebok';
const SUBFOLDER = 'postgres';
const POINTER = 'location';

const IS_ROOT = process.getuid?.() === 0;

/**
 * Creates and locks the folder of the embedded server under `dataDir`.
 * @throws {DataDirInUse} when another process has it
 * @throws {EmbeddedPostgresError} when the folder or the data are not where they are said to be
 */
export async function openHome(dataDir: string): Promise<Home> {
  await refuseDeadLink(dataDir);
  if (IS_ROOT) await makeAsOwner(resolve(dataDir, SUBFOLDER));
  // No other user than root needs to look into the folder, but PostgreSQL's user must be able to pass through.
  await mkdir(join(dataDir, SUBFOLDER), { recursive: true, mode: IS_ROOT ? 0o711 : 0o700 });
  const root = await realpath(join(dataDir, SUBFOLDER));
  if (IS_ROOT) await refuseForeignLink(join(dataDir, SUBFOLDER));
  await using locks = new AsyncDisposableStack();
  locks.defer(await lockFolder(root, dataDir));
  const folder = (await readPointer(root)) ?? (await chooseFolder(root));
  // Two copies of one DATA_DIR point to the same folder.
  if (folder !== root) locks.defer(await lockFolder(folder, dataDir));
  const account = await chooseAccount(folder);
  const kept = locks.move();
  return {
    folder,
    isStaged: folder !== root,
    data: join(folder, 'data'),
    account,
    release: () => kept.disposeAsync(),
  };
}

/**
 * The folder of the server for `dataDir`, or undefined if there has never been one.
 * @throws {EmbeddedPostgresError} when the folder or the data are not where they are said to be
 */
export async function findHome(dataDir: string): Promise<string | undefined> {
  await refuseDeadLink(dataDir);
  try {
    const root = await realpath(join(dataDir, SUBFOLDER));
    return (await readPointer(root)) ?? root;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Makes the staging folder, open to every user whatever the umask. */
export async function makeStaging(): Promise<string> {
  await mkdir(STAGING, { recursive: true });
  await chmod(STAGING, 0o755);
  return STAGING;
}

/**
 * Makes a folder as the owner of the folder around it: the service may also run as that user, and that user's links
 * could lead root anywhere. Makes nothing if the owner may not, or has no user name: PostgreSQL needs one.
 */
async function makeAsOwner(folder: string): Promise<void> {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  const { uid, gid } = await stat(parent);
  const script = 'umask 077 && id -un && mkdir -p -- "$1"';
  if (uid !== 0) await run('/bin/sh', ['-c', script, 'sh', folder], { account: { uid, gid } });
}

/** A link whose disk is not mounted is not a folder that still has to be created. */
async function refuseDeadLink(dataDir: string): Promise<void> {
  // Any other fault shows when the folder is used.
  const found = await lstat(dataDir).catch(() => undefined);
  if (!found?.isSymbolicLink() || existsSync(dataDir)) return;
  throw new EmbeddedPostgresError(
    `${dataDir} is a link to ${await readlink(dataDir)}, which does not exist: create that folder, or mount the disk that holds it`,
  );
}

/** The user of a DATA_DIR could lead root into a folder that is not theirs, where root would create and delete files. */
async function refuseForeignLink(path: string): Promise<void> {
  const [link, target] = [await lstat(path), await stat(path)];
  if (!link.isSymbolicLink() || link.uid === 0 || link.uid === target.uid) return;
  throw new EmbeddedPostgresError(
    `${path} is a link that belongs to the user with uid ${link.uid}, into a folder that does not: ` +
      `check where it leads, then make it root's with chown -h root ${path}`,
  );
}

async function readPointer(root: string): Promise<string | undefined> {
  const pointer = join(root, POINTER);
  if (!existsSync(pointer)) return undefined;
  await using file = await open(pointer, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      if (!hasCode(error, 'ELOOP')) throw error;
      throw new EmbeddedPostgresError(
        `${pointer} is a link: replace it by a file that holds the path of the data`,
      );
    },
  );
  if (IS_ROOT && (await file.stat()).uid !== 0) {
    throw new EmbeddedPostgresError(
      `${pointer} does not belong to root, who would work in the folder that it names: ` +
        `check that folder, then make the file root's with chown root ${pointer}`,
    );
  }
  const folder = (await file.readFile('utf8')).trim();
  if (existsSync(folder)) return await realpath(folder);
  // A start with an empty database would look like the loss of all data.
  throw new EmbeddedPostgresError(
    `${pointer} says that the data are in ${folder}, which does not exist: bring the folder back, ` +
      `or remove the file ${POINTER} to start with an empty database`,
  );
}

async function chooseFolder(root: string): Promise<string> {
  if (!IS_ROOT || existsSync(join(root, 'data'))) return root;
  const account = await chooseAccount(root);
  const canReach = async (path: string) =>
    (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', path], { account })).ok;
  const { mode, uid } = await stat(root);
  // The umask may have removed the bit that mkdir was asked for.
  if (uid === 0) await chmod(root, mode | 0o011);
  if (await canReach(root)) return root;
  // An empty DATA_DIR that root owns may be opened to PostgreSQL's group, so that the data stay in it, as on a volume.
  const dataDir = dirname(root);
  const owner = await stat(dataDir);
  const isNew = owner.uid === 0 && owner.gid === 0 && (await readdir(dataDir)).length === 1;
  if (isNew && (await canReach(dirname(dataDir)))) {
    await chown(dataDir, 0, account?.gid ?? 0);
    await chmod(dataDir, 0o710);
    if (await canReach(root)) return root;
  }
  return await stageFolder(root);
}

async function stageFolder(root: string): Promise<string> {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 12);
  // Never the name of an earlier folder, which may hold data that were not meant for this DATA_DIR.
  const folder = await realpath(await mkdtemp(join(await makeStaging(), `data-${hash}-`)));
  await chmod(folder, 0o711);
  await writeFile(join(folder, 'used-by'), `${dirname(root)}\n`);
  await writeDurably(join(root, POINTER), `${folder}\n`, 0o644);
  return folder;
}

/** Only the owner of existing data can serve them; an ordinary user's folder is served by that user. */
async function chooseAccount(folder: string): Promise<Account | undefined> {
  const data = join(folder, 'data');
  const owner = existsSync(data) ? await stat(data) : undefined;
  if (!IS_ROOT) {
    if (owner === undefined || owner.uid === process.getuid?.()) return undefined;
    throw new EmbeddedPostgresError(
      `${data} belongs to the user with uid ${owner.uid}: run the service as that user, or as root`,
    );
  }
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `${data} belongs to root, and PostgreSQL does not run as root: give it to an unprivileged user, ` +
        `for example with chown -R nobody ${data}`,
    );
  }
  const { uid, gid } = owner ?? (await stat(folder));
  const account = uid === 0 ? await findSystemAccount() : { uid, gid };
  const { ok, complaint } = await run('/bin/sh', ['-c', ':'], { account });
  if (ok) return account;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and this root cannot run it as uid ${account.uid} (${complaint}): ` +
      'run the service as an ordinary user, or set DATABASE_URL',
  );
}

async function findSystemAccount(): Promise<Account> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: ' +
      'run the service as an ordinary user, or set DATABASE_URL',
  );
}
