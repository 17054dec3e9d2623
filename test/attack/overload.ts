import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './attacks.ts';

type Sample = { status: number; milliseconds: number };
type Row = Record<string, string | number>;

const SECONDS = 8;

/**
 * Sends reads at a quarter of the sustainable rate, at that rate, and at four times of it, whether answers come
 * or not, and tells how long those took that were accepted. The sustainable rate is what 32 connections get.
 */
export async function openOverload({ port, victimKey }: Target): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const ask = () => get(agent, port, victimKey);
  const sustainable = await saturate(ask);
  const rows: Row[] = [];
  for (const factor of [0.25, 0.5, 1, 2, 4]) {
    await sleep(1_000);
    rows.push({ load: `${factor} ×`, ...summaryOf(await sendAt(sustainable * factor, ask)) });
  }
  agent.destroy();
  return rows;
}

async function saturate(ask: () => Promise<Sample>): Promise<number> {
  const until = performance.now() + 4_000;
  let answers = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() < until) if ((await ask()).status === 200) answers++;
    }),
  );
  return answers / 4;
}

/** An open loop: the next request does not wait for the answer to the one before. */
async function sendAt(rate: number, ask: () => Promise<Sample>): Promise<Sample[]> {
  const began = performance.now();
  const all: Promise<Sample>[] = [];
  for (let now = began; now < began + SECONDS * 1_000; now = performance.now()) {
    while (all.length < ((now - began) / 1_000) * rate) all.push(ask());
    await sleep(2);
  }
  return Promise.all(all);
}

function summaryOf(samples: readonly Sample[]): Row {
  const accepted = samples
    .filter(({ status }) => status === 200)
    .map(({ milliseconds }) => milliseconds)
    .toSorted((one, other) => one - other);
  const at = (share: number) => Number((accepted[Math.floor(accepted.length * share)] ?? NaN).toFixed(1));
  return {
    'sent/s': Math.round(samples.length / SECONDS),
    'accepted/s': Math.round(accepted.length / SECONDS),
    'shed/s': Math.round(samples.filter(({ status }) => status === 503).length / SECONDS),
    other: samples.filter(({ status }) => status !== 503 && status !== 200).length,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
  };
}

function get(agent: Agent, port: number, key: string): Promise<Sample> {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ status, milliseconds: performance.now() - began });
    request(
      {
        port,
        host: '127.0.0.1',
        path: '/api/v1/companies',
        headers: { authorization: `Bearer ${key}` },
        agent,
      },
      (answer) => answer.resume().on('end', () => done(answer.statusCode!)),
    )
      .on('error', () => done(0))
      .end();
  });
}
