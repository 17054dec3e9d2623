import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAST, openTrial, type Trial } from '../../test/embedded-trial.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

const USER = 65_534;

/** Its folder belongs to root. */
let trial: Trial;
/** Belongs to another user. */
let dataDir: string;

beforeEach(async () => {
  trial = await openTrial();
  await chmod(trial.dataDir, 0o755);
  dataDir = join(trial.dataDir, 'home');
  await makeTheirs(dataDir);
});
afterEach(() => trial.close());

async function makeTheirs(folder: string): Promise<string> {
  await mkdir(folder);
  await chown(folder, USER, USER);
  return folder;
}

const start = (folder = dataDir) =>
  startEmbeddedPostgres({ dataDir: folder, settings: FAST, log: pino({ level: 'silent' }) });

describe.runIf(process.getuid?.() === 0)('root, on the DATA_DIR of another user', () => {
  test.for([
    ['service.lock', 'its lock file cannot be used (unable to open database file)'],
    [`connection.json.${process.pid}.new`, 'EACCES'],
  ])('creates nothing where a link in place of %s leads', async ([name, reason]) => {
    const target = join(trial.dataDir, 'target');
    await symlink(target, join(await makeTheirs(join(dataDir, 'postgres')), name!));
    await expect(start()).rejects.toThrow(reason);
    expect(existsSync(target)).toBe(false);
    expect(process.geteuid!()).toBe(0);
  });

  test('deletes nothing in a folder that they name as the location of the data', async () => {
    const draft = join(trial.dataDir, 'init-script');
    await writeFile(draft, '');
    const location = join(await makeTheirs(join(dataDir, 'postgres')), 'location');
    await writeFile(location, trial.dataDir);
    await chown(location, USER, USER);
    await expect(start()).rejects.toThrow(`${location} does not belong to root`);
    expect(existsSync(draft)).toBe(true);
  });

  test('reads no link in place of the file that names the location', async () => {
    const named = join(trial.dataDir, 'named');
    await writeFile(named, trial.dataDir);
    const location = join(await makeTheirs(join(dataDir, 'postgres')), 'location');
    await symlink(named, location);
    await expect(start()).rejects.toThrow(`${location} is a link: replace it by a file`);
  });

  test('does not follow their link into a folder that is not theirs', async () => {
    const draft = join(trial.dataDir, 'init-script');
    await writeFile(draft, '');
    const link = join(dataDir, 'postgres');
    await symlink(trial.dataDir, link);
    await lchown(link, USER, USER);
    await expect(start()).rejects.toThrow(`${link} is a link that belongs to the user with uid ${USER}`);
    expect(existsSync(draft)).toBe(true);
  });

  test('follows their link into a folder that is theirs', async () => {
    const link = join(dataDir, 'postgres');
    await symlink(await makeTheirs(join(trial.dataDir, 'disk')), link);
    await lchown(link, USER, USER);
    const postgres = await start();
    await postgres.stop();
    expect(existsSync(join(trial.dataDir, 'disk', 'data'))).toBe(true);
  });
});

describe.runIf(process.getuid?.() === 0)('root', () => {
  test('puts data aside that the user who runs PostgreSQL could not reach', async () => {
    // Only root may enter the folder above.
    await chmod(trial.dataDir, 0o700);
    const closed = join(trial.dataDir, 'closed');
    const postgres = await start(closed);
    const aside = (await readFile(join(closed, 'postgres', 'location'), 'utf8')).trim();
    try {
      expect(await findEmbeddedPostgres(closed)).toBe(postgres.url);
      expect((await stat(join(aside, 'data'))).uid).not.toBe(0);
      await postgres.stop();
      const again = await start(closed);
      expect(again.url).toBe(postgres.url);
      await again.stop();
    } finally {
      await postgres.stop();
      await rm(aside, { recursive: true });
    }
  });

  test('gives the folder to the user whose DATA_DIR it is in', async () => {
    await chmod(dataDir, 0o700);
    // A DATA_DIR that exists, and one that does not exist yet.
    for (const folder of [dataDir, join(dataDir, 'again')]) {
      await (await start(folder)).stop();
      const names = await readdir(join(folder, 'postgres'));
      expect(names.toSorted()).toEqual(['connection.json', 'data', 'service.lock']);
      for (const name of ['.', 'postgres', ...names.map((name) => join('postgres', name))]) {
        const { uid, gid } = await stat(join(folder, name));
        expect([name, uid, gid]).toEqual([name, USER, USER]);
      }
    }
  });
});
