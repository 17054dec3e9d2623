import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from '../database.ts';
import { startJournal } from './journal.ts';
import { quantile, takeNotes, tally, until, type Outcome } from './outcome.ts';
import { openStage } from './stage.ts';

/** Test 26: PostgreSQL is killed while clients write, stays away, and comes back. */
export async function killDatabase({ kills, awayMs }: { kills: number; awayMs: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const { postgres } = stage;
  const service = await stage.service();
  const workspace = await stage.workspace(service);
  const journal = await startJournal(workspace.client, workspace);
  const back: number[] = [];
  const probes: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const before = journal.acknowledged();
    await until('writes go on', () => journal.acknowledged() >= before + 16);
    await postgres.kill(kill % 2 === 0 ? 'SIGQUIT' : 'SIGKILL');
    await sleep(awayMs);
    probes.push(await service.probe('/healthz'), await service.probe('/readyz'));
    await postgres.start();
    const up = performance.now();
    const isBack = () => journal.answers.some(({ status, at }) => status === 201 && at > up);
    await until('the first write after the restart', isBack);
    back.push(journal.answers.find(({ status, at }) => status === 201 && at > up)!.at - up);
  }
  await journal.compare(stage, notes);
  notes.note('kills', kills);
  notes.demand(tally(probes) === `200 × ${kills}, 503 × ${kills}`, 'health and readiness', tally(probes));
  notes.demand(service.isRunning(), 'process alive', service.isRunning());
  notes.demand(quantile(back, 0.5) <= 1_000, 'first write after ms, median', quantile(back, 0.5));
  notes.note('longest', Math.max(...back));
  return notes;
}

/** Test 27: sessions are ended again and again, in the middle of transactions. */
export async function endSessions({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const service = await stage.service();
  const workspace = await stage.workspace(service);
  const journal = await startJournal(workspace.client, workspace);
  await using admin = await openClient(stage.postgres.superuserUrl);
  let ended = 0;
  for (let round = 0; round < rounds; round++) {
    const before = journal.answers.length;
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'kundebok' and (state <> 'idle' or random() < 0.1)`,
    );
    ended += rowCount ?? 0;
    await until('answers come', () => journal.answers.length > before + 4);
  }
  const before = journal.acknowledged();
  await until('writes go on', () => journal.acknowledged() > before + 16);
  await journal.compare(stage, notes);
  notes.demand(ended >= rounds, 'sessions ended', ended);
  return notes;
}

/** Test 25: more writers than connections. */
export async function crowdDatabase({ seconds }: { seconds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  for (const connections of [2, 10]) {
    const service = await stage.service({ DATABASE_CONNECTIONS: String(connections) });
    for (const writers of [16, 64, 256]) {
      const workspace = await stage.workspace(service);
      const quiet = await stage.workspace(service);
      const journal = await startJournal(workspace.client, workspace, writers);
      const reads: number[] = [];
      let idle = 0;
      const end = performance.now() + seconds * 1_000;
      while (performance.now() < end || reads.length < 20) {
        reads.push((await quiet.client.get('/companies')).status);
        const [row] = await stage.query(
          `select count(*)::int as n from pg_stat_activity
           where state like 'idle in transaction%' and state_change < clock_timestamp() - interval '1 second'`,
        );
        idle += row.n;
      }
      const own = takeNotes();
      await journal.compare(stage, own);
      own.demand(tally(reads) === `200 × ${reads.length}`, 'reads of another key', tally(reads));
      own.demand(idle === 0, 'idle in transaction for a second', idle);
      const after = await Promise.all(Array.from({ length: 20 }, () => workspace.client.get('/companies')));
      const afterwards = tally(after.map(({ status }) => status));
      own.demand(afterwards === '200 × 20', 'reads afterwards', afterwards);
      for (const breach of own.breaches) {
        notes.demand(false, `${writers} writers on ${connections} connections`, breach);
      }
      notes.note(`${writers} writers on ${connections}: writes/s`, journal.acknowledged() / seconds);
    }
    await service.stop();
  }
  return notes;
}
