import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../database.ts';
import { findPrograms, freePort, startReplicated, urlOf, type Replicated } from './replicated-postgres.ts';
import { endWithFile, startService, type Service } from '../service.ts';
import { startSteadyLoad } from './steady-load.ts';

endWithFile();

const programs = findPrograms();
const haproxy = hasHaproxy();
if (!programs)
  process.stderr.write('SKIPPED: no PostgreSQL with pg_basebackup is installed; no failover is tested\n');
else if (!haproxy)
  process.stderr.write('SKIPPED: no haproxy is installed; no failover behind it is tested\n');

const WRITERS = 8;
/** Acknowledged writes before the primary is killed, and after the first on the new one. */
const ENOUGH = 200;

test.skipIf(!programs)(
  'a primary that dies under load loses no acknowledged write: several hosts',
  async () => {
    const pair = await startReplicated(programs!);
    expect(await failOver(pair, urlOf(pair.primary, pair.standby))).toEqual(LOSSLESS);
  },
);

test.skipIf(!programs || !haproxy)(
  'a primary that dies under load loses no acknowledged write: HAProxy',
  async () => {
    const pair = await startReplicated(programs!);
    expect(await failOver(pair, urlOf(`127.0.0.1:${await startHaproxy(pair)}`))).toEqual(LOSSLESS);
  },
);

/** A write under way is answered 503, whether it was carried out or not. */
const LOSSLESS = { lost: [], otherStatuses: [] };

/** Kills the primary under load, and goes on until the standby has taken writes for a while. */
async function failOver(pair: Replicated, url: string): Promise<{ lost: string[]; otherStatuses: number[] }> {
  const service = await startService({ DATABASE_URL: url, RATE_LIMIT: 'off', REGISTER: 'sandbox' });
  const load = startLoad(service);
  await expect.poll(() => load.acknowledged.length, { interval: 5 }).toBeGreaterThan(ENOUGH);

  pair.killPrimary();
  await pair.promote();
  const promoted = performance.now();
  const before = load.acknowledged.length;
  await expect.poll(() => load.acknowledged.length, { interval: 5 }).toBeGreaterThan(before);
  const first = Math.round(performance.now() - promoted);

  await expect.poll(() => load.acknowledged.length, { interval: 5 }).toBeGreaterThan(before + ENOUGH);
  await load.stop();
  await using client = await openClient(urlOf(pair.standby));
  const { rows } = await client.query('select id from contacts');
  const stored = new Set(rows.map(({ id }) => id));
  const lost = load.acknowledged.filter((id) => !stored.has(id));
  process.stdout.write(
    `failover: ${load.acknowledged.length} acknowledged, ${lost.length} lost, first write after ${first} ms\n`,
  );
  await service.stop();
  return { lost, otherStatuses: [...load.statuses].filter((status) => status !== 201 && status !== 503) };
}

/** Writers that go on until they are stopped. */
function startLoad({ address, key }: Service) {
  const acknowledged: string[] = [];
  const statuses = new Set<number>();

  async function write(): Promise<void> {
    const id = randomUUID();
    const answer = await fetch(`${address}/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id, name: 'Kari Nordmann' }),
    });
    statuses.add(answer.status);
    await answer.arrayBuffer();
    if (answer.status === 201) acknowledged.push(id);
  }

  return { acknowledged, statuses, stop: startSteadyLoad(WRITERS, write) };
}

/**
 * HAProxy waits for its connect timeout, at most a second, before it tries again. It leads to the primary, and to the
 * standby once the primary is down.
 * @returns its port
 */
async function startHaproxy({ primary, standby }: Replicated): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-haproxy-'));
  const port = await freePort();
  const check = 'check inter 100 fall 1 rise 1 on-marked-down shutdown-sessions';
  const config = `
defaults
  mode tcp
  timeout connect 100ms
  timeout client 1m
  timeout server 1m
listen postgres
  bind 127.0.0.1:${port}
  option redispatch 1
  server one ${primary} ${check}
  server two ${standby} ${check} backup
`;
  await writeFile(join(folder, 'haproxy.cfg'), config);
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  onTestFinished(async () => {
    const end = once(child, 'close');
    if (child.kill('SIGKILL')) await end;
    await rm(folder, { recursive: true });
  });
  return port;
}

function hasHaproxy(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
