import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, workerData } from 'node:worker_threads';
import { newKey } from '../../src/keys/key.ts';

/** The service under attack. */
export type Target = { port: number; pid: number; attackerKey: string; victimKey: string };

export type Attack = {
  name: string;
  /** Makes what the attack needs, before anything is measured. */
  prepare?: (target: Target) => Promise<void>;
  run: (target: Target, until: number) => Promise<void>;
};

/** What one client can do that others might feel; each runs until a moment of `performance.now()`. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'files-unread',
    run: (target, until) => leaveUnread(target, until, get('/docs/js/scalar.js'), 20),
  },
  { name: 'metrics-unread', run: (target, until) => leaveUnread(target, until, get('/metrics'), 20) },
  {
    name: 'lists-unread',
    run: (target, until) =>
      leaveUnread(target, until, get('/api/v1/companies?limit=100', target.attackerKey), 20),
  },
  {
    name: 'large-answers',
    prepare: makeLargeContact,
    run: (target, until) => pipeline(target, until, 300, () => get(LARGE_ANSWER, target.attackerKey), 1),
  },
  {
    name: 'large-answers-unread',
    prepare: makeLargeContact,
    run: (target, until) => leaveUnread(target, until, get(LARGE_ANSWER, target.attackerKey), 300, 2),
  },
  { name: 'docs', run: (target, until) => pipeline(target, until, 8, () => get('/docs/js/scalar.js')) },
  {
    name: 'application',
    run: async (target, until) => {
      const script = await findScript(target);
      await pipeline(target, until, 8, () => get(script));
    },
  },
  {
    name: 'application-unread',
    run: async (target, until) => leaveUnread(target, until, get(await findScript(target)), 20),
  },
  { name: 'metrics', run: (target, until) => pipeline(target, until, 8, () => get('/metrics')) },
  { name: 'readyz', run: (target, until) => pipeline(target, until, 8, () => get('/readyz')) },
  {
    name: 'unknown-fields',
    run: (target, until) => pipeline(target, until, 4, () => post(target, UNKNOWN_FIELDS)),
  },
  {
    name: 'many-members',
    run: (target, until) => pipeline(target, until, 4, () => post(target, MANY_MEMBERS)),
  },
  {
    name: 'deep',
    run: (target, until) => pipeline(target, until, 4, () => post(target, '['.repeat(250_000))),
  },
  {
    name: 'broken-json',
    run: (target, until) => pipeline(target, until, 4, () => post(target, `{"name":${','.repeat(250_000)}`)),
  },
  {
    name: 'long-text',
    run: (target, until) =>
      pipeline(target, until, 4, () => post(target, `{"name":"${'\\u00e6'.repeat(40_000)}"}`)),
  },
  {
    name: 'made-up-keys',
    run: (target, until) => pipeline(target, until, 8, () => get('/api/v1/me', newKey().token)),
  },
  {
    name: 'tiny-requests',
    run: (target, until) => pipeline(target, until, 50, () => 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'),
  },
  { name: 'slow-senders', run: slowSenders },
];

const UNKNOWN_FIELDS = JSON.stringify(
  Object.fromEntries(Array.from({ length: 990 }, (_, number) => [`${'x'.repeat(240)}${number}`, 1])),
);
const MANY_MEMBERS = `{${Array.from({ length: 27_000 }, (_, number) => `"${number}":1`).join(',')}}`;

function get(path: string, key?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;
}

function post({ attackerKey }: Target, body: string): string {
  return `POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attackerKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const LARGE_CONTACT = '01a1fc3d-c958-7ac1-8809-ee64294f2157';
const LARGE_ANSWER = `/api/v1/contacts/${LARGE_CONTACT}/points`;

/** Makes a contact whose contact details are an answer of 2 MB, the largest there is. */
async function makeLargeContact({ port, attackerKey }: Target): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${attackerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  if ((await post('/contacts', { id: LARGE_CONTACT, name: 'Kari' })).status === 409) return;
  const text = '😀'.repeat(255);
  const add = async () => {
    const { status } = await post(`/contacts/${LARGE_CONTACT}/points`, {
      type: 'other',
      label: text,
      value: text,
    });
    return status;
  };
  // 409 says that the contact is full, 429 to wait.
  for (let status = 0; status !== 409;) {
    status = Math.max(...(await Promise.all(Array.from({ length: 10 }, add))));
    if (status === 429) await sleep(1_000);
  }
  await sleep(10_000);
}

/** The application's largest file, which its page names. */
async function findScript({ port }: Target): Promise<string> {
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  return /\/assets\/[\w-]+\.js/.exec(page)![0];
}

/** Sends requests on each socket at once and reads no answer. */
async function leaveUnread(
  { port }: Target,
  until: number,
  request: string,
  sockets: number,
  requests = 300,
): Promise<void> {
  const open = await Promise.all(Array.from({ length: sockets }, () => openSocket(port)));
  for (const socket of open) {
    socket.pause();
    socket.write(request.repeat(requests));
  }
  await sleep(until - performance.now());
  for (const socket of open) socket.destroy();
}

/** Keeps requests on the way on each connection: `atOnce` more whenever fewer than that are unanswered. */
async function pipeline(
  target: Target,
  until: number,
  sockets: number,
  request: () => string,
  atOnce = 32,
): Promise<void> {
  await Promise.all(Array.from({ length: sockets }, () => pipelineOne(target.port, until, request, atOnce)));
}

async function pipelineOne(
  port: number,
  until: number,
  request: () => string,
  atOnce: number,
): Promise<void> {
  while (performance.now() < until) {
    const socket = await openSocket(port);
    let owed = 0;
    let heard = '';
    const send = () => {
      const batch = Array.from({ length: atOnce }, request).join('');
      owed += atOnce;
      socket.write(batch);
    };
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      owed -= heard.split('HTTP/1.1 ').length - 1;
      heard = heard.slice(-8).replaceAll('HTTP/1.1 ', '');
      if (owed < atOnce && performance.now() < until) send();
    });
    send();
    await Promise.race([closed(socket), sleep(Math.max(0, until - performance.now()))]);
    socket.destroy();
  }
}

/** 500 connections that send a byte a second, half of them within their headers, half within a body. */
async function slowSenders(target: Target, until: number): Promise<void> {
  const texts = [get('/api/v1/me', target.attackerKey), post(target, 'x'.repeat(1_000))];
  const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(target.port)));
  for (let at = 0; performance.now() < until; at++) {
    sockets.forEach((socket, index) => socket.writable && socket.write(texts[index % 2]!.charAt(at) || 'x'));
    await sleep(1_000);
  }
  for (const socket of sockets) socket.destroy();
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The service may well hang up on an attacker.
  socket.on('error', () => socket.destroy());
  await Promise.race([new Promise((resolve) => void socket.once('connect', resolve)), closed(socket)]);
  return socket;
}

/** Resolves however the connection ends; `once` would reject for one that breaks. */
function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => void socket.once('close', resolve));
}

if (!isMainThread) {
  const { name, target, milliseconds } = workerData as { name: string; target: Target; milliseconds: number };
  await ATTACKS.find((attack) => attack.name === name)!.run(target, performance.now() + milliseconds);
  process.exit();
}
