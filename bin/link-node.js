// Runs after npm ci, on whatever Node that has. npm 10 removes node_modules/.bin/node together with the Node
// packages of other systems, whose command has the same name; npm scripts need it to run on the pinned Node.
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
const program = readdirSync(modules)
  .map((name) => `${name}/bin/node`)
  .find((path) => path.startsWith('node-') && existsSync(modules + path));

if (program !== undefined && existsSync(`${modules}.bin`)) {
  rmSync(`${modules}.bin/node`, { force: true });
  symlinkSync(`../${program}`, `${modules}.bin/node`);
}
