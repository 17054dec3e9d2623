// Runs after npm ci (`prepare`), on whatever Node npm runs on. Builds the pages of web/ if Vite is installed: on the
// pinned Node, if npm has installed that for this system.
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [pinned, vite] = [`${root}node_modules/.bin/node`, `${root}node_modules/vite/bin/vite.js`];
const node = existsSync(pinned) ? pinned : process.execPath;

if (!existsSync(vite)) {
  const built = existsSync(`${root}web/dist/index.html`);
  console.log(
    `The pages were not built: Vite is a development dependency. ${
      built
        ? 'Those of an earlier build are served.'
        : 'Run npm ci --include=dev, or copy web/dist from a build.'
    }`,
  );
} else {
  const { status } = spawnSync(node, [vite, 'build', 'web', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    // Vite builds a development version where the environment says so.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) console.error('The pages could not be built: see above, then run npm run build.');
  process.exitCode = status ?? 1;
}
