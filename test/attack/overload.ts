import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './attacks.ts';

export type Row = Record<string, string | number>;
/** Milliseconds from the moment a request was due, by status. */
type Samples = Map<number, number[]>;

const CONNECTIONS = 400;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Sends reads at a quarter, at two times and at four times the sustainable rate, whether answers come or not, and tells
 * how long the accepted ones took. The sustainable rate is what 32 connections get. Each load comes three
 * times in turn, since one pause of the machine decides the p99 of a few seconds: the median of the three counts.
 */
export async function overload(target: Target): Promise<Row[]> {
  // What is measured first runs on code that is not compiled yet.
  await saturate(target);
  const sustainable = await saturate(target);
  const rounds: Row[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rows: Row[] = [];
    for (const factor of [0.25, 2, 4]) {
      await sleep(2_500);
      const samples = await sendAt(target, sustainable * factor);
      rows.push({ load: `${factor} ×`, ...summaryOf(samples) });
    }
    console.table(rows);
    rounds.push(rows);
  }
  const medians = rounds[0]!.map((_, at) => medianOf(rounds.map((rows) => rows[at]!)));
  const unloaded = Number(medians[0]!['p99 ms']);
  return medians.map((row) => ({
    ...row,
    'p99 ratio': Number((Number(row['p99 ms']) / unloaded).toFixed(1)),
  }));
}

/** Of the rounds at one load, the one whose p99 is the median. */
function medianOf(rows: readonly Row[]): Row {
  return rows.toSorted((one, other) => Number(one['p99 ms']) - Number(other['p99 ms']))[ROUNDS >> 1]!;
}

async function saturate(target: Target): Promise<number> {
  const clients = await openClients(target, 32);
  const until = performance.now() + 4_000;
  let answers = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) if ((await client.ask()) === 200) answers++;
    }),
  );
  for (const client of clients) client.close();
  return answers / 4;
}

/** An open loop: requests are due at fixed times, and wait for a free connection only when all are taken. */
async function sendAt(target: Target, rate: number): Promise<Samples> {
  const clients = await openClients(target, CONNECTIONS);
  const free = [...clients];
  const due: number[] = [];
  const samples: Samples = new Map();

  async function send(client: Client, dueAt: number): Promise<void> {
    const status = await client.ask();
    const taken = performance.now() - dueAt;
    samples.getOrInsertComputed(status, () => []).push(taken);
    const next = due.shift();
    if (next === undefined) free.push(client);
    else void send(client, next);
  }

  const began = performance.now();
  let sent = 0;
  for (let now = began; now < began + SECONDS * 1_000; now = performance.now()) {
    for (; sent < ((now - began) / 1_000) * rate; sent++) {
      const client = free.pop();
      if (client) void send(client, now);
      else due.push(now);
    }
    await sleep(1);
  }
  while (free.length < clients.length) await sleep(5);
  for (const client of clients) client.close();
  return samples;
}

function summaryOf(samples: Samples) {
  const accepted = (samples.get(200) ?? []).toSorted((one, other) => one - other);
  const all = [...samples.values()].reduce((sum, times) => sum + times.length, 0);
  const shed = samples.get(503)?.length ?? 0;
  const at = (share: number) => Number((accepted[Math.floor(accepted.length * share)] ?? NaN).toFixed(1));
  return {
    'sent/s': Math.round(all / SECONDS),
    'accepted/s': Math.round(accepted.length / SECONDS),
    'shed/s': Math.round(shed / SECONDS),
    other: all - accepted.length - shed,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
  };
}

type Client = { ask(): Promise<number>; close(): void };

function openClients(target: Target, count: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: count }, () => openClient(target)));
}

/** A client that costs next to nothing: it knows how the service frames its answers. */
function openClient({ port, victimKey }: Target): Promise<Client> {
  const request = `GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${victimKey}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let heard = '';
    let answered: ((status: number) => void) | undefined;
    const socket: Socket = connect(port, '127.0.0.1', () =>
      resolve({
        ask: () =>
          new Promise((done) => {
            answered = done;
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
    socket.on('error', reject);
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      const end = heard.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(heard)?.[1] ?? NaN);
      if (end === -1 || heard.length < end + 4 + length) return;
      const status = Number(heard.slice(9, 12));
      heard = '';
      answered?.(status);
    });
  });
}
