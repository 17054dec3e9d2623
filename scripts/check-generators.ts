// Generates clients from openapi.json with the generators that integrators use, and compiles them:
// npm run check:generators. Not part of the tests: it fetches the generators from npm, PyPI and Go's proxy.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DESCRIPTION = fileURLToPath(new URL('../openapi.json', import.meta.url));
const TSC =
  'tsc --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler --lib esnext,dom,dom.iterable';

type Generator = {
  name: string;
  /** What the machine must have; without it the generator is skipped. */
  needs: string;
  /** Fetches the generator; fails where there is no network. */
  install: string[];
  /** Generates and compiles a client. */
  check: string[];
};

/** Commands of `sh`, in a folder of the generator's own. */
const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript 7.13.0',
    needs: 'npm --version',
    install: ['npm install --no-audit --no-fund openapi-typescript@7.13.0 typescript@5.9.3'],
    check: [
      `npx openapi-typescript ${quoted(DESCRIPTION)} --output schema.d.ts`,
      `npx ${TSC.replace('--skipLibCheck ', '')} schema.d.ts`,
    ],
  },
  {
    name: '@hey-api/openapi-ts 0.99.0',
    needs: 'npm --version',
    install: ['npm install --no-audit --no-fund @hey-api/openapi-ts@0.99.0 typescript@5.9.3'],
    check: [`npx openapi-ts --input ${quoted(DESCRIPTION)} --output client`, `npx ${TSC} client/*.ts`],
  },
  {
    name: 'openapi-python-client 0.29.1',
    needs: 'python3 -m venv --help',
    install: [
      'python3 -m venv python',
      'python/bin/pip install --quiet openapi-python-client==0.29.1 mypy==2.4.1',
    ],
    check: [
      `PATH="$PWD/python/bin:$PATH" openapi-python-client generate --fail-on-warning --path ${quoted(DESCRIPTION)} --output-path client`,
      'cd client && ../python/bin/mypy .',
    ],
  },
  {
    name: 'oapi-codegen 2.8.2',
    needs: 'go version',
    install: [
      'GOBIN="$PWD/bin" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
      'go mod init client',
      'go get github.com/oapi-codegen/runtime@v1.8.0',
    ],
    check: [
      `bin/oapi-codegen -generate types,client -package client -o client.go ${quoted(DESCRIPTION)}`,
      'go mod tidy && go vet ./...',
    ],
  },
];

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** @returns what a command printed when it failed */
function run(command: string, cwd: string): string | undefined {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
  return status === 0 ? undefined : `${command}\n${stdout}${stderr}`;
}

function firstFailure(commands: readonly string[], cwd: string): string | undefined {
  for (const command of commands) {
    const failure = run(command, cwd);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

type Outcome = 'compiles' | 'FAILED' | 'SKIPPED';

function check(generator: Generator, folder: string): { outcome: Outcome; reason?: string } {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const missing = run(generator.needs, folder) ?? firstFailure(generator.install, folder);
  if (missing !== undefined) return { outcome: 'SKIPPED', reason: missing };
  const failure = firstFailure(generator.check, folder);
  return failure === undefined ? { outcome: 'compiles' } : { outcome: 'FAILED', reason: failure };
}

const { paths } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as { paths: object };
console.log(`Clients for the ${Object.keys(paths).length} paths of openapi.json`);
const folder = mkdtempSync(join(tmpdir(), 'generators-'));
try {
  const outcomes = GENERATORS.map((generator, index) => {
    const { outcome, reason } = check(generator, join(folder, String(index)));
    if (reason !== undefined) console.error(reason);
    console.log(`${outcome.padEnd(9)} ${generator.name}`);
    return outcome;
  });
  if (outcomes.includes('FAILED')) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
