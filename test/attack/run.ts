import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { residentMb } from '../faults/service.ts';
import { ATTACKS, type Attack, type Target } from './attacks.ts';
import { overload, type Row } from './overload.ts';
import { openVictim, type Seen } from './victim.ts';

/**
 * Attacks a service of its own as one hostile client, one attack after another, and prints what another workspace's
 * integration notices meanwhile. Everything stays on this machine and ends by itself:
 * npm run test:attack [-- name …]
 */
const COMMAND = fileURLToPath(new URL('../../bin/kundebok', import.meta.url));

const ATTACK_MS = 15_000;
const QUIET_MS = 3_000;
/** How long after an attack its memory must have been freed. */
const RECOVERY_MS = 30_000;

/** Bounds for what an attack may do; past any of them the exit code is 1. */
const BOUNDS: readonly { column: string; most?: number; least?: number }[] = [
  { column: 'longest stall ms', most: 500 },
  { column: 'longest answer ms', most: 1_000 },
  { column: 'share %', least: 50 },
  { column: 'peak MB', most: 300 },
  { column: 'after/before', most: 1.5 },
  { column: 'p99 ratio', most: 5 },
];

type Settings = Record<string, string>;

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

const broken: string[] = [];
const attacks = ATTACKS.filter(({ name }) => isWanted(name));
if (attacks.length > 0) {
  await withService({}, async (target) => {
    const rows: Row[] = [];
    for (const attack of attacks) {
      rows.push(judge(attack.name, await suffer(attack, target)));
      console.table(rows.slice(-1));
    }
    console.table(rows);
  });
}
// The rate limit would refuse most of what the overload sends with one key.
if (isWanted('overload')) {
  await withService({ RATE_LIMIT: 'off' }, async (target) => {
    const rows = await overload(target);
    for (const row of rows) judge(`overload ${row['load']}`, row);
    console.table(rows);
  });
}
if (broken.length > 0) {
  console.error(`Out of bounds: ${broken.join('; ')}`);
  process.exitCode = 1;
}

function judge(attack: string, row: Row): Row {
  for (const { column, most = Infinity, least = -Infinity } of BOUNDS) {
    const value = row[column];
    if (value === undefined || (Number(value) <= most && Number(value) >= least)) continue;
    broken.push(`${attack}, ${column}: ${value}`);
  }
  return row;
}

/** Runs a service of its own on an empty folder, which is removed when the service has ended. */
async function withService(settings: Settings, work: (target: Target) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kundebok-attack-'));
  const own = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ...settings };
  const service = spawn(COMMAND, ['serve'], {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await work(await prepare(service, own));
  } finally {
    service.kill('SIGTERM');
    await once(service, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function suffer(attack: Attack, target: Target): Promise<Row> {
  await attack.prepare?.(target);
  const victim = openVictim(target);
  await sleep(QUIET_MS);
  const quiet = victim.take();
  const before = residentMb(target.pid);
  const attacker = new Worker(new URL('attacks.ts', import.meta.url), {
    workerData: { name: attack.name, target, milliseconds: ATTACK_MS },
  });
  const peak = await peakUntil(target.pid, attacker);
  const during = victim.take();
  await victim.close();
  await sleep(RECOVERY_MS);
  const after = residentMb(target.pid);
  return {
    attack: attack.name,
    'answers/s before': perSecond(quiet),
    'answers/s during': perSecond(during),
    'share %': Math.round((perSecond(during) / perSecond(quiet)) * 100),
    refused: during.refused,
    'longest stall ms': Math.round(during.longestStall),
    'longest answer ms': Math.round(during.longestAnswer),
    'before MB': Math.round(before),
    'peak MB': Math.round(peak),
    'after/before': Number((after / before).toFixed(2)),
  };
}

function perSecond({ answers, milliseconds }: Seen): number {
  return Math.round((answers / milliseconds) * 1_000);
}

/** Waits for what the service says when it is ready, and makes a second workspace with a key. */
async function prepare(child: ChildProcess, settings: Settings): Promise<Target> {
  let told = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (told += text));
  while (!told.includes('companies/923609016')) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${told}`);
    await sleep(50);
  }
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(told)![1]);
  const attackerKey = /kb_\w+/.exec(told)![0];
  const owner = [
    '--owner-email',
    'kari@example.no',
    '--owner-first-name',
    'Kari',
    '--owner-last-name',
    'Nordmann',
  ];
  const workspace = await command(['workspace', 'create', '--name', 'Victim', ...owner], settings);
  const { key } = await command(
    [
      'key',
      'create',
      '--workspace',
      workspace.workspace_id!,
      '--user',
      workspace.user_id!,
      '--permissions',
      'all',
    ],
    settings,
  );
  return { port, attackerKey, victimKey: key!, pid: child.pid! };
}

async function command(args: string[], settings: Settings): Promise<Record<string, string>> {
  const child = spawn(COMMAND, [...args, '--json'], {
    env: { ...process.env, ...settings },
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`kundebok ${args.join(' ')} ended with ${code}`);
  return JSON.parse(told) as Record<string, string>;
}

async function peakUntil(pid: number, attacker: Worker): Promise<number> {
  let peak = 0;
  const over = new AbortController();
  const end = once(attacker, 'exit').then(() => over.abort());
  while (!over.signal.aborted) {
    peak = Math.max(peak, residentMb(pid));
    await sleep(50);
  }
  await end;
  return peak;
}
