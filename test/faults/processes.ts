import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startJournal } from './journal.ts';
import { quantile, takeNotes, tally, until, type Outcome } from './outcome.ts';
import { countDescriptors, type Service } from './service.ts';
import { openStage, type Stage } from './stage.ts';

/** Test 30: the service is killed while clients write, and started again; its PostgreSQL stays up. */
export async function killService({ kills }: { kills: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  let service = await stage.service();
  const workspace = await stage.workspace(service);
  const journal = await startJournal(workspace.client, workspace);
  const starts: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const before = journal.acknowledged();
    await until('writes go on', () => journal.acknowledged() >= before + 16);
    await service.stop('SIGKILL');
    const began = performance.now();
    service = await stage.service();
    starts.push(performance.now() - began);
    journal.turnTo(service.client(workspace.client.token));
  }
  const before = journal.acknowledged();
  await until('writes go on', () => journal.acknowledged() >= before + 16);
  await journal.compare(stage, notes, [201, 503, 0]);
  notes.note('kills', kills);
  notes.note('start ms, median', quantile(starts, 0.5));
  return notes;
}

/** Test 30: SIGTERM while clients write on keep-alive connections. Whatever was sent must be answered. */
export async function endService({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const outcomes = { answered: 0, failed: [] as string[] };
  const codes: (number | null)[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await stage.service();
    const { client } = await stage.workspace(service);
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const writers = Array.from({ length: 16 }, () => writeUntilGone(service, client.token!, agent, outcomes));
    const enough = outcomes.answered + 100;
    await until('answers come', () => outcomes.answered > enough);
    codes.push(await service.stop());
    await Promise.all(writers);
    agent.destroy();
  }
  notes.note('SIGTERM', rounds);
  notes.note('answered', outcomes.answered);
  notes.demand(outcomes.failed.length === 0, 'failed requests', outcomes.failed.slice(0, 5));
  notes.demand(
    codes.every((code) => code === 0),
    'exit codes',
    [...new Set(codes)],
  );
  return notes;
}

/** Writes until connections are refused, the only failure that a stop may cause. */
async function writeUntilGone(
  { origin }: Service,
  key: string,
  agent: Agent,
  outcomes: { answered: number; failed: string[] },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (;;) {
    try {
      const sent = request(`${origin}/api/v1/contacts`, { method: 'POST', agent, headers });
      sent.end('{"name":"Kari"}');
      const [answer] = await once(sent, 'response');
      const status = answer.statusCode as number;
      await once(answer.resume(), 'end');
      if (status !== 201) outcomes.failed.push(String(status));
      outcomes.answered += 1;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return;
      outcomes.failed.push(String(code));
      return;
    }
  }
}

/** Test 30: the service is at its limit of open files. No new connection succeeds, from clients or to PostgreSQL. */
export async function exhaustDescriptors(stage: Stage, { seconds }: { seconds: number }): Promise<Outcome> {
  const notes = takeNotes();
  const service = await stage.service();
  const workspace = await stage.workspace(service);
  if (!mayLimit(service.pid)) {
    notes.skip('prlimit is not here: no limit of open files is tried');
    return notes;
  }
  const kept = await startJournal(workspace.client, workspace, 4);
  await until('writes go on', () => kept.acknowledged() > 16);
  const before = countDescriptors(service.pid);
  limitFiles(service.pid, before + 20);
  const sockets: Socket[] = [];
  for (let count = 0; count < 200; count++) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
  }
  await sleep(seconds * 1_000);
  // New connections to PostgreSQL fail as well.
  await stage.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kundebok'",
  );
  await sleep(seconds * 1_000);
  if (!service.isRunning()) throw new Error(`the service ended: ${service.logged()}`);
  const most = countDescriptors(service.pid);
  for (const socket of sockets) socket.destroy();
  limitFiles(service.pid, 1_024);
  await until('ready again', async () => (await service.probe('/readyz')) === 200);
  const acknowledged = kept.acknowledged();
  await until('writes go on', () => kept.acknowledged() > acknowledged + 16);
  await kept.compare(stage, notes, [201, 503, 0]);
  notes.note(`descriptors ${before}, at the limit ${most}, afterwards`, countDescriptors(service.pid));
  notes.demand(service.isRunning(), 'process alive', service.isRunning());
  return notes;
}

function mayLimit(pid: number): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(pid), '--nofile'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function limitFiles(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
}

/** Test 30: the disk that the log is written to is full. */
export async function loseLog(stage: Stage): Promise<Outcome> {
  const notes = takeNotes();
  await using full = await open('/dev/full', 'w');
  const service = await stage.service({ LOG_LEVEL: 'info' }, full.fd);
  const { client } = await stage.workspace(service);
  const statuses: number[] = [];
  const ask = () => Promise.race([client.get('/companies').then(({ status }) => status), sleep(10_000, 0)]);
  for (let count = 0; count < 400 && statuses.at(-1) !== 0; count++)
    statuses.push(await ask().catch(() => 0));
  notes.demand(tally(statuses) === '200 × 400', 'with a log on a full disk', tally(statuses));
  notes.demand(service.isRunning(), 'process alive', service.isRunning());
  const code = await Promise.race([service.stop(), sleep(20_000, 'none')]);
  notes.demand(code === 0, 'exit code', code);
  return notes;
}
