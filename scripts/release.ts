// Makes a release: npm run release -- 0.2.0. It never pushes; docs/releasing.md says what to do before and after.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listDependencies } from './sbom.ts';

const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md'] as const;

/** The folder of the tarball, which git ignores. */
const OUTPUT = 'dist';

/** Why a release cannot be made; printed without a stack. */
class ReleaseRefused extends Error {}

function release(version: string): void {
  const root = git('rev-parse', '--show-toplevel');
  process.chdir(root);
  const tag = `v${version}`;
  const news = checkState(version, tag);
  try {
    writeVersion(version, news);
    runChecks();
    git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  } catch (error) {
    git('checkout', '--quiet', 'HEAD', '--', ...FILES);
    throw error;
  }
  // The section is the tag's message as it stands: # begins a heading in it, not a comment.
  const takeBack = ['git reset --hard HEAD~1'];
  try {
    git('tag', '--annotate', '--cleanup=verbatim', '--message', `Kundebok ${version}\n\n${news}\n`, tag);
    takeBack.unshift(`git tag --delete ${tag}`);
    const { tarball, digest } = packTarball(version, tag);
    console.log(`Released ${version}: commit ${git('rev-parse', '--short', 'HEAD')}, tag ${tag}`);
    console.log(`${tarball}\nsha256 ${digest}`);
    console.log(`Nothing has been pushed. To publish: git push origin HEAD ${tag}`);
  } finally {
    // Printed also where tagging or packing failed: the commit exists by then, and a second run is refused.
    console.log(`To undo it: ${takeBack.join(' && ')}`);
  }
}

/** @returns what the changelog says is new */
function checkState(version: string, tag: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new ReleaseRefused('Give the new version as three numbers: npm run release -- 0.2.0');
  }
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  if (!isLater(version, current))
    throw new ReleaseRefused(`${version} does not come after ${current}, the version in package.json`);
  if (git('status', '--porcelain') !== '')
    throw new ReleaseRefused('The checkout has changes that are not committed: commit or remove them first');
  if (git('tag', '--list', tag) !== '') throw new ReleaseRefused(`The tag ${tag} exists already`);
  const [, news = ''] = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m.exec(changelog()) ?? [];
  if (!/^- /m.test(news)) throw new ReleaseRefused('CHANGELOG.md has nothing under "## Unreleased"');
  return news.trim();
}

function writeVersion(version: string, news: string): void {
  const today = new Date().toISOString().slice(0, 10);
  for (const name of ['package.json', 'package-lock.json'] as const) {
    const content = JSON.parse(readFileSync(name, 'utf8')) as {
      version: string;
      packages?: Record<string, { version: string }>;
    };
    content.version = version;
    if (content.packages) content.packages['']!.version = version;
    writeFileSync(name, `${JSON.stringify(content, null, 2)}\n`);
  }
  const released = `## Unreleased\n\n## ${version} - ${today}\n\n${news}\n`;
  writeFileSync(
    'CHANGELOG.md',
    changelog().replace(/^## Unreleased\n[^]*?(?=\n## |$(?![^]))/m, () => released),
  );
}

function goOn(): void {}

/** Runs with the new version in place, so that what is checked is what is released. */
function runChecks(): void {
  // Ctrl-C ends the checks; without a handler it would also end this script, which has files to put back.
  process.on('SIGINT', goOn);
  const { status } = spawnSync('npm', ['run', 'verify'], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.off('SIGINT', goOn);
  if (status !== 0)
    throw new ReleaseRefused('npm run verify failed: nothing was released, the files are as before');
}

/** Packs what the tag holds, also the lock file, which `npm pack` would leave out. */
function packTarball(version: string, tag: string): { tarball: string; digest: string } {
  mkdirSync(OUTPUT, { recursive: true });
  const name = `kundebok-${version}`;
  const tarball = join(OUTPUT, `${name}.tar.gz`);
  if (existsSync(tarball)) rmSync(tarball);
  git('archive', `--prefix=${name}/`, '--output', tarball, tag);
  const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  writeFileSync(`${tarball}.sha256`, `${digest}  ${name}.tar.gz\n`);
  writeFileSync(join(OUTPUT, `${name}.cdx.json`), listDependencies());
  return { tarball, digest };
}

function isLater(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  for (const [place, number] of one!.entries()) if (number !== other![place]) return number > other![place]!;
  return false;
}

function changelog(): string {
  return readFileSync('CHANGELOG.md', 'utf8');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

try {
  release(process.argv[2] ?? '');
} catch (error) {
  if (!(error instanceof ReleaseRefused)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
