import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endWithFile, environmentOf, ownDatabase, ROOT } from '../service.ts';

endWithFile();

const WITHOUT_PAGES = ['bin', 'src', 'migrations', 'docs', 'package.json', 'openapi.json'];

/**
 * Starts the service from a copy of parts of the checkout.
 * @param before what the shell does before it starts the service
 */
async function startCopy(parts = WITHOUT_PAGES, before = ':') {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-unbuilt-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of parts) {
    await cp(ROOT + part, join(folder, part), { recursive: true });
  }
  await symlink(`${ROOT}node_modules`, join(folder, 'node_modules'));
  const child = spawn('sh', ['-c', `${before} && exec "$0" serve`, join(folder, 'bin/kundebok')], {
    cwd: folder,
    env: environmentOf({ DATABASE_URL: await ownDatabase(), DATA_DIR: folder, PORT: '0' }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let told = '';
  const origin = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        told += text;
        const [, address] = /Application +(\S+)\n/.exec(told) ?? [];
        if (address) resolve(address);
      });
    }
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${told}`)));
  });
  return { folder, origin, told: () => told };
}

test('a service whose pages are not built serves its API, and says what to run', async () => {
  const { origin, told } = await startCopy();
  // Lines of the log are gathered for a moment.
  await expect
    .poll(told)
    .toContain('"msg":"The pages are not built: run npm ci --include=dev and npm run build');
  const page = await fetch(`${origin}/companies`, { headers: { accept: 'text/html' } });
  expect([page.status, await page.json()]).toEqual([
    404,
    { error: expect.stringContaining('run npm ci'), code: 'not_found' },
  ]);
  const reference = await fetch(`${origin}/docs/guide`);
  expect([reference.status, await reference.json()]).toEqual([
    404,
    { error: expect.stringContaining('run npm ci'), code: 'not_found' },
  ]);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${origin}/api/v1/me`)).status).toBe(401);
});

test('pages are served although the folder in which the service was started has been removed', async () => {
  const { origin, told } = await startCopy(
    [...WITHOUT_PAGES, 'web/dist'],
    'mkdir gone && cd gone && rmdir ../gone',
  );
  const page = await fetch(`${origin}/companies`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  const [script] = /\/assets\/[^"]+\.js/.exec(await page.text())!;
  const paths = [script, '/icon.svg', '/docs/guide'];
  const statuses = paths.map(async (path) => (await fetch(origin + path)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
  expect(told()).not.toContain('not built');
});

test('a guide that could not be read once is read again', async () => {
  const { folder, origin } = await startCopy([...WITHOUT_PAGES, 'web/dist']);
  const read = async () => (await fetch(`${origin}/docs/guide`)).status;
  const guide = join(folder, 'web/dist/docs/guide.html');
  await rm(guide);
  expect(await read()).toBe(500);
  await cp(`${ROOT}web/dist/docs/guide.html`, guide);
  expect(await read()).toBe(200);
});

test('a description that could not be read once, which counts as a defect, is read again', async () => {
  const { folder, origin } = await startCopy();
  const read = async () => (await fetch(`${origin}/api/v1/openapi.json`)).status;
  await rm(join(folder, 'openapi.json'));
  expect(await read()).toBe(500);
  const metrics = async () => (await fetch(`${origin}/metrics`)).text();
  await expect.poll(metrics).toContain('\nhttp_defects_total 1\n');
  await cp(`${ROOT}openapi.json`, join(folder, 'openapi.json'));
  expect(await read()).toBe(200);
});

test('the pages are built by the Node that is there, where npm has none for the system', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-unbuilt-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, 'bin/build-web.js');
  await cp(`${ROOT}bin/build-web.js`, script);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const build = () => spawnSync(process.execPath, [script], { encoding: 'utf8' }).stdout;
  expect(build()).toContain('Run npm ci --include=dev');
  await mkdir(join(folder, 'node_modules/vite/bin'), { recursive: true });
  await writeFile(
    join(folder, 'node_modules/vite/bin/vite.js'),
    'console.log(process.execPath, ...process.argv.slice(2, 4));',
  );
  expect(build()).toBe(`${process.execPath} build web\n`);
});
