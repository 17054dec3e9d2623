// Runs after npm ci, on npm's own Node: npm 11 puts the pinned one first in PATH, which may not start here. npm 10
// removes node_modules/.bin/node together with the Node packages of other systems, whose command has the same name;
// npm scripts need it to run on the pinned Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
const program = readdirSync(modules)
  .map((name) => `${name}/bin/node`)
  .find((path) => path.startsWith('node-') && existsSync(modules + path));

if (program !== undefined && existsSync(`${modules}.bin`)) {
  rmSync(`${modules}.bin/node`, { force: true });
  symlinkSync(`../${program}`, `${modules}.bin/node`);
  const { status, stderr, error } = spawnSync(modules + program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    const reason = error?.message ?? stderr.trim();
    console.error(`The Node that npm has installed does not start: ${reason}`);
    console.error(
      reason.includes('libatomic')
        ? 'Install libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL), then run npm ci again.'
        : 'README.md says what the service needs.',
    );
    process.exitCode = 1;
  }
}
