import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { newKey } from '../../src/keys/key.ts';
import type { Answer } from '../client.ts';
import { readAllRows } from '../rows.ts';
import { quantile, takeNotes, tally, until, type Outcome } from './outcome.ts';
import { openStage } from './stage.ts';

/** Test 1: a key in full use on two processes is revoked. */
export async function revokeKeys({ revocations }: { revocations: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const services = [await stage.service(), await stage.service()];
  const workspace = await stage.workspace(services[0]!);
  const lasts: number[] = [];
  const wrong: string[] = [];
  for (let count = 0; count < revocations; count++) {
    const { id, token } = await workspace.key();
    const seen: { status: number; sent: number }[] = [];
    const over = new AbortController();
    const users = services.flatMap((service) =>
      Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) {
          const sent = performance.now();
          seen.push({ sent, status: (await service.client(token).get('/companies')).status });
        }
      }),
    );
    await until('the key is used', () => seen.length > 40);
    await stage.query('update api_keys set revoked_at = now() where id = $1', [id]);
    const revoked = performance.now();
    const after = () => seen.filter(({ sent }) => sent > revoked);
    await until('it is refused', () => after().filter(({ status }) => status === 401).length > 40);
    over.abort();
    await Promise.all(users);
    const good = after().filter(({ status }) => status === 200);
    lasts.push(Math.max(0, ...good.map(({ sent }) => sent - revoked)));
    const other = seen.filter(({ status }) => status !== 200 && status !== 401);
    if (other.length > 0) wrong.push(tally(other.map(({ status }) => status)));
  }
  notes.note('revocations', revocations);
  notes.demand(quantile(lasts, 0.5) <= 1_000, 'last good answer after ms, median', quantile(lasts, 0.5));
  notes.note('longest', Math.max(...lasts));
  notes.demand(wrong.length === 0, 'other statuses', wrong);
  const { token } = await workspace.key(255, { revoked: true });
  const gap = { unknown: [] as number[], revoked: [] as number[] };
  for (let count = 0; count < 50; count++) {
    for (const [kind, key] of [
      ['unknown', newKey().token],
      ['revoked', token],
    ] as const) {
      const began = performance.now();
      await services[0]!.client(key).get('/me');
      gap[kind].push(performance.now() - began);
    }
  }
  notes.note('401 for an unknown key ms', quantile(gap.unknown, 0.5));
  notes.note('for a revoked one', quantile(gap.revoked, 0.5));
  return notes;
}

/** Test 5: keys in use are searched for in the database, the log, the answers and the memory of the process. */
export async function searchSecrets({ requests }: { requests: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const options = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${stage.folder}`;
  const service = await stage.service({ LOG_LEVEL: 'info', NODE_OPTIONS: options });
  const workspace = await stage.workspace(service);
  const { token } = await workspace.key();
  const client = service.client(token);
  const bodies: string[] = [];
  for (let count = 0; count < requests; count++) {
    const ask = [
      () => client.get('/companies'),
      () => client.post('/contacts', { name: 'Kari' }),
      () => client.post('/contacts', { nome: 1 }),
      () => service.client(`${token}x`).get('/me'),
      () => client.get(`/tasks/${token}`),
    ][count % 5]!;
    bodies.push((await ask()).text);
  }
  // Further requests overwrite the last ones in the buffers of the process.
  for (let count = 0; count < 50; count++) await workspace.client.get('/companies');
  await sleep(500);
  const rows = JSON.stringify(await readAllRows(stage.postgres.url));
  process.kill(service.pid, 'SIGUSR2');
  const snapshot = () => readdirSync(stage.folder).find((name) => name.endsWith('.heapsnapshot'));
  await until('the heap is written', () => snapshot() !== undefined);
  await until('the service goes on', async () => (await service.probe('/healthz')) === 200);
  const heap = readFileSync(`${stage.folder}/${snapshot()!}`, 'latin1');
  const secret = token.slice(15);
  for (const [place, text] of [
    ['database', rows],
    ['log', service.logged()],
    // One of the requests has the key in its path, by the caller's mistake: the answer must not repeat it.
    ['answers', bodies.join('\n')],
    ['memory', heap],
  ] as const) {
    notes.demand(
      !text.includes(secret),
      `in the ${place} (${text.length} characters)`,
      text.split(secret).length - 1,
    );
  }
  notes.note('requests', requests);
  return notes;
}

/** Test 6: a key uses up its rate limit on two processes, while another key is served. */
export async function spendLimit({ bursts }: { bursts: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const limit = { RATE_LIMIT: '100/5' };
  const services = [await stage.service(limit), await stage.service(limit)];
  const greedy = await stage.workspace(services[0]!);
  const other = await stage.workspace(services[0]!);
  const others: number[] = [];
  const early: number[] = [];
  const passed: number[] = [];
  for (let burst = 0; burst < bursts; burst++) {
    for (const service of services) {
      const client = service.client(greedy.client.token);
      const began = performance.now();
      const answers: Answer[] = [];
      const ask = async () => {
        while (answers.length < 300) answers.push(await client.get('/me'));
      };
      await Promise.all(Array.from({ length: 8 }, ask));
      const seconds = (performance.now() - began) / 1_000;
      const good = answers.filter(({ status }) => status === 200).length;
      passed.push(good / (100 + 20 * seconds));
      others.push((await service.client(other.client.token).get('/companies')).status);
      const wait = Number(answers.find(({ status }) => status === 429)?.headers['retry-after'] ?? 0);
      await sleep(wait * 1_000);
      early.push((await client.get('/me')).status);
    }
    await sleep(5_000);
  }
  notes.demand(
    passed.every((share) => share <= 1.1),
    'passed of what the limit allows, at most',
    Math.max(...passed),
  );
  notes.demand(
    early.every((status) => status === 200),
    'after Retry-After',
    tally(early),
  );
  notes.demand(
    others.every((status) => status === 200),
    'another key',
    tally(others),
  );
  return notes;
}
