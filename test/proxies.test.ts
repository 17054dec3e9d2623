import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { endWithFile, ownDatabase, ROOT, startService } from './service.ts';

endWithFile();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-deploy-'));
afterAll(() => rm(folder, { recursive: true }));

/** Whether a program is there; where it is not, the run says what it did not check. */
function hasProgram(name: string): boolean {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  if (!isThere) process.stderr.write(`${name} is not installed: its file in deploy/ is not checked\n`);
  return isThere;
}

/** Runs a program. @returns what it complains of, nothing when it ends with 0 */
function complaintOf(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${status}: ${stdout}${stderr}`;
}

const deployed = (name: string) => readFile(`${ROOT}deploy/${name}`, 'utf8');

async function prepare(name: string, changes: readonly (readonly [string, string])[]): Promise<string> {
  let file = await deployed(name);
  for (const [from, to] of changes) {
    expect(file).toContain(from);
    file = file.replaceAll(from, to);
  }
  const path = join(folder, name);
  await writeFile(path, file);
  return path;
}

/** A certificate for the name in the examples, and its key. */
function certify(): string {
  const path = join(folder, 'kundebok');
  const subject = ['-subj', '/CN=crm.example.no', '-keyout', `${path}.key`, '-out', `${path}.crt`];
  expect(
    complaintOf('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject),
  ).toBe('');
  expect(complaintOf('sh', '-c', `cat ${path}.crt ${path}.key > ${path}.pem`)).toBe('');
  return path;
}

test.skipIf(!hasProgram('haproxy'))('haproxy takes deploy/haproxy.cfg', async () => {
  const file = await prepare('haproxy.cfg', [['/etc/haproxy/certs/kundebok', certify()]]);
  expect(complaintOf('haproxy', '-c', '-f', file)).toBe('');
});

test.skipIf(!hasProgram('nginx'))('nginx takes deploy/nginx.conf', async () => {
  const file = await prepare('nginx.conf', [['/etc/nginx/certs/kundebok', certify()]]);
  const main = join(folder, 'main.conf');
  await writeFile(main, `pid ${folder}/nginx.pid;\nevents {}\nhttp { include ${file}; }\n`);
  expect(complaintOf('nginx', '-t', '-c', main)).toBe('');
});

test.skipIf(!hasProgram('caddy'))('caddy takes deploy/Caddyfile', () => {
  expect(
    complaintOf('caddy', 'validate', '--adapter', 'caddyfile', '--config', `${ROOT}deploy/Caddyfile`),
  ).toBe('');
});

test.skipIf(!hasProgram('systemd-analyze'))('systemd takes the units', async () => {
  const here = [['/opt/kundebok/bin/kundebok', `${ROOT}bin/kundebok`]] as const;
  const units = [await prepare('kundebok.service', here), await prepare('kundebok-import.service', here)];
  expect(complaintOf('systemd-analyze', 'verify', ...units, await prepare('kundebok-import.timer', []))).toBe(
    '',
  );
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const portOf = (origin: string) => new URL(origin).port;
const metricsOf = async (origin: string) => (await fetch(`${origin}/metrics`)).text();

test.skipIf(!hasProgram('haproxy'))('a rolling restart behind HAProxy loses no request', async () => {
  const settings = { DATABASE_URL: await ownDatabase(), RATE_LIMIT: 'off', TRUST_PROXY: '127.0.0.1' };
  const first = await startService(settings);
  const second = await startService(settings);
  const front = await freePort();
  const file = await prepare('haproxy.cfg', [
    [':443 ssl crt /etc/haproxy/certs/kundebok.pem alpn h2,http/1.1', `127.0.0.1:${front}`],
    ['127.0.0.1:3001', `127.0.0.1:${portOf(first.origin)}`],
    ['127.0.0.1:3002', `127.0.0.1:${portOf(second.origin)}`],
  ]);
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const done = new AbortController();
  const outcomes: Record<string, number> = {};
  const ask = () =>
    new Promise<string>((resolve) => {
      const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' };
      const path = '/api/v1/contacts';
      request({ host: '127.0.0.1', port: front, method: 'POST', path, agent, headers }, (answer) => {
        void text(answer).then(
          () => resolve(String(answer.statusCode)),
          (error) => resolve(String(error)),
        );
      })
        .on('error', (error) => resolve(String(error)))
        .end('{"name":"Kari"}');
    });
  try {
    await expect.poll(ask).toBe('201');
    const load = async () => {
      while (!done.signal.aborted) {
        const outcome = await ask();
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    const loads = Array.from({ length: 8 }, load);
    let answered = 0;
    const more = async () => {
      answered = (outcomes['201'] ?? 0) + 50;
      await expect.poll(() => outcomes['201']).toBeGreaterThan(answered);
    };
    for (const old of [first, second]) {
      await more();
      expect(await old.stop()).toBe(0);
      const fresh = await startService({ ...settings, PORT: portOf(old.origin) });
      // The next one is stopped when this one is in use.
      await expect.poll(() => metricsOf(fresh.origin)).toMatch(/route="\/api\/v1\/contacts",status="201"/);
    }
    await more();
    done.abort();
    await Promise.all(loads);
    expect(Object.keys(outcomes)).toEqual(['201']);
  } finally {
    done.abort();
    agent.destroy();
    haproxy.kill('SIGTERM');
  }
});
