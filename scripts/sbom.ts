// Prints what an installation consists of, as CycloneDX: node scripts/sbom.ts > sbom.cdx.json
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Manifest = { devDependencies?: object };
type Lock = { packages: Record<string, Manifest & { dev?: boolean }> };

/**
 * Lists the packages of the lock file without those that only development needs. npm reads copies of the two files from
 * which these were removed: `npm sbom --omit=dev` would also leave out packages that the service needs as well.
 */
export function listDependencies(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kundebok-sbom-'));
  try {
    // npm names the project after its folder.
    const cwd = join(folder, 'kundebok');
    mkdirSync(cwd);
    const manifest = readJson('package.json') as Manifest;
    const lock = readJson('package-lock.json') as Lock;
    const { '': root, ...packages } = lock.packages;
    const kept = Object.entries(packages).filter(([, { dev }]) => !dev);
    const own = { ...root, devDependencies: undefined };
    writeJson(join(cwd, 'package.json'), { ...manifest, devDependencies: undefined });
    writeJson(join(cwd, 'package-lock.json'), {
      ...lock,
      packages: { '': own, ...Object.fromEntries(kept) },
    });
    const command = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
    return execFileSync('npm', command, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, content: object): void {
  writeFileSync(path, JSON.stringify(content));
}

if (import.meta.main) console.log(listDependencies());
