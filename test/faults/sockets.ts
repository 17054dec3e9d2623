import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Client } from '../client.ts';
import { quantile, takeNotes, until, type Notes, type Outcome } from './outcome.ts';
import { countDescriptors, residentMb, type Service } from './service.ts';
import { openStage } from './stage.ts';

/** A healthy client's slowest answers may take twice as long as before, or this long on a busy machine. */
const BEARABLE_MS = 250;

/** Test 11: bodies, headers and addresses that are too large, again and again. */
export async function sendTooMuch({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const service = await stage.service();
  const { client } = await stage.workspace(service);
  const healthy = (await stage.workspace(service)).client;
  const requests = tooMuch(client);
  for (const { send } of requests) await send();
  const quiet = await measureHealthy(healthy, () => sleep(1_000));
  const before = residentMb(service.pid);
  let peak = before;
  const wrong: string[] = [];
  const during = await measureHealthy(healthy, async () => {
    for (let round = 0; round < rounds; round++) {
      for (const { name, statuses, send } of requests) {
        const status = await send();
        if (!statuses.includes(status)) wrong.push(`${name}: ${status}`);
        peak = Math.max(peak, residentMb(service.pid));
      }
    }
  });
  notes.note('requests', rounds * requests.length);
  notes.demand(wrong.length === 0, 'other statuses', [...new Set(wrong)]);
  notes.demand(peak - before < 50, 'growth MB', peak - before);
  compareHealthy(quiet, during, notes);
  return notes;
}

function tooMuch(client: Client) {
  const json = { 'content-type': 'application/json' };
  const post =
    (body: string | Buffer, headers = {}) =>
    () =>
      client.send({ method: 'POST', path: '/contacts', headers: { ...json, ...headers }, body }).then(
        ({ status }) => status,
        // The service may hang up on a body that it does not read.
        () => 413,
      );
  const get =
    (path: string, headers = {}) =>
    () =>
      client.send({ path, headers }).then(
        ({ status }) => status,
        () => 431,
      );
  const name = `{"name":"${'x'.repeat(1_000_000)}"}`;
  return [
    { name: 'a name of 1 MB', statuses: [413], send: post(name) },
    { name: 'a body of 20 MB', statuses: [413], send: post(Buffer.alloc(20_000_000, 32)) },
    {
      name: 'a body of 20 MB in chunks',
      statuses: [413],
      send: post(Buffer.alloc(20_000_000, 32), { 'transfer-encoding': 'chunked' }),
    },
    { name: '50 000 levels', statuses: [400], send: post('['.repeat(50_000) + ']'.repeat(50_000)) },
    { name: 'a header of 64 KB', statuses: [431], send: get('/me', { 'x-large': 'x'.repeat(65_536) }) },
    { name: 'an address of 16 KB', statuses: [414, 431], send: get(`/tasks/${'x'.repeat(16_384)}`) },
    {
      name: 'a gzip bomb',
      statuses: [415],
      send: post(gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' }),
    },
  ];
}

/** Test 18: clients that send a byte a second, and clients that never read. */
export async function holdSockets({ sockets }: { sockets: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const service = await stage.service();
  const { client } = await stage.workspace(service);
  const healthy = (await stage.workspace(service)).client;
  const contact = (await client.post('/contacts', { name: 'Kari' })).body.data.id as string;
  for (let count = 0; count < 100; count++) {
    await client.post(`/contacts/${contact}/points`, { type: 'other', label: 'x', value: '😀'.repeat(255) });
  }
  const quiet = await measureHealthy(healthy, () => sleep(1_000));
  const [before, descriptors] = [residentMb(service.pid), countDescriptors(service.pid)];
  const left = () => countDescriptors(service.pid) - descriptors;
  const during = await measureHealthy(healthy, async () => {
    await neverRead(service, client.token!, sockets, `/contacts/${contact}/points`);
    await dribble(service, client.token!, sockets);
    await until('all connections are closed', () => left() <= 20, { limitMs: 150_000, everyMs: 200 });
  });
  await until('memory is back', () => residentMb(service.pid) < before * 1.5 + 30, { everyMs: 500 }).catch(
    () => {},
  );
  notes.note('sockets', 2 * sockets);
  notes.demand(
    residentMb(service.pid) < before * 1.5 + 30,
    `MB before ${Math.round(before)}, after`,
    residentMb(service.pid),
  );
  notes.note('descriptors left', left());
  compareHealthy(quiet, during, notes);
  return notes;
}

/** Sends a byte a second on each socket, on half of them in headers, on half in a body, until all are closed. */
async function dribble({ port }: Service, key: string, count: number): Promise<void> {
  const head = `POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
  const sockets = await openSockets(port, count);
  const began = performance.now();
  sockets.forEach((socket, index) => index % 2 === 0 && socket.write(head));
  for (let at = 0; sockets.some(({ destroyed }) => !destroyed); at++) {
    sockets.forEach((socket, index) => socket.writable && socket.write(index % 2 ? (head[at] ?? 'x') : 'x'));
    if (performance.now() - began > 180_000) throw new Error('clients that send slowly are not closed');
    await sleep(1_000);
  }
}

/** Asks for more than the buffers of the connections hold, and never reads. */
async function neverRead({ port }: Service, key: string, count: number, path: string): Promise<void> {
  const request = `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const socket of await openSockets(port, count)) socket.pause().write(request.repeat(40));
}

async function openSockets(port: number, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => socket.destroy());
      socket.on('end', () => socket.destroy());
      socket.resume();
      return new Promise<Socket>((resolve) => void socket.once('connect', () => resolve(socket)));
    }),
  );
}

type Healthy = { times: number[]; refusals: string[] };

/** The times and refusals of a healthy client's reads while something else goes on. */
async function measureHealthy(client: Client, meanwhile: () => Promise<unknown>): Promise<Healthy> {
  const seen: Healthy = { times: [], refusals: [] };
  const over = new AbortController();
  const work = meanwhile().finally(() => over.abort());
  while (!over.signal.aborted) {
    const began = performance.now();
    const { status, text } = await client.get('/companies');
    if (status !== 200) seen.refusals.push(`${status} ${text}`);
    seen.times.push(performance.now() - began);
    await sleep(10);
  }
  await work;
  return seen;
}

function compareHealthy(quiet: Healthy, during: Healthy, notes: Notes): void {
  const [one, other] = [quantile(quiet.times, 0.99), quantile(during.times, 0.99)];
  const isBearable = other < Math.max(2 * one, BEARABLE_MS);
  notes.note('p99 ms before', one);
  notes.demand(isBearable, 'meanwhile', other);
  // A database on a busy machine may be too slow for a new connection: that is not the clients' doing.
  const { refusals, times } = during;
  notes.demand(refusals.length <= times.length / 100, `refused of ${times.length}`, refusals.length);
  if (refusals.length > 0) notes.note('the first', refusals[0]!);
}
