import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as openSession } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './replicated-postgres.ts';
import { endWithFile, ownDatabase, ROOT, startService, type Service } from '../service.ts';
import { startSteadyLoad } from './steady-load.ts';
import { makeCertificate } from './tls-front.ts';

endWithFile();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-proxies-'));

/** What each proxy takes in place of the names of the example, and how it is started. */
type Example = {
  file: string;
  changes: (port: number) => [string, string][];
  start: (file: string) => Promise<[string, ...string[]]>;
  /** The time limits that an answer to GET /changes?wait=30 meets. */
  limits: RegExp;
};

const CERTIFICATE = join(folder, 'kundebok');
const NAME = 'crm.example.no';
const CLIENTS = 2;

const EXAMPLES: Record<string, Example> = {
  haproxy: {
    file: 'haproxy.cfg',
    changes: (port) => [
      [':443', `127.0.0.1:${port}`],
      ['/etc/haproxy/certs/kundebok', CERTIFICATE],
    ],
    start: async (file) => ['haproxy', '-db', '-f', file],
    limits: /timeout (?:client|server) (\d+)s/g,
  },
  nginx: {
    file: 'nginx.conf',
    changes: (port) => [
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['/etc/nginx/certs/kundebok', CERTIFICATE],
    ],
    async start(file) {
      const main = join(folder, 'main.conf');
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      await writeFile(
        main,
        `pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; daemon off;\nevents {}\nhttp { access_log off; ${paths.join(' ')} include ${file}; }\n`,
      );
      return ['nginx', '-c', main];
    },
    limits: /proxy_read_timeout (\d+)s/g,
  },
  caddy: {
    file: 'Caddyfile',
    // A certificate of the test in place of one that Caddy obtains.
    changes: (port) => [
      [
        `${NAME} {`,
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${CERTIFICATE}.crt ${CERTIFICATE}.key`,
      ],
    ],
    start: async (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    limits: /response_header_timeout (\d+)s/g,
  },
};

const installed = Object.keys(EXAMPLES).filter((name) => {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  if (!isThere)
    process.stderr.write(`SKIPPED: no ${name} is installed; its file in deploy/ is not checked\n`);
  return isThere;
});

/** Up to 2.11.1 Caddy cannot send a body again to another server when the first one refuses the connection. */
function losesBodies(name: string): boolean {
  if (name !== 'caddy') return false;
  const [, ...numbers] = /(\d+)\.(\d+)\.(\d+)/.exec(
    spawnSync(name, ['version'], { encoding: 'utf8' }).stdout,
  )!;
  const [major, minor, patch] = numbers.map(Number) as [number, number, number];
  return major * 1e6 + minor * 1e3 + patch <= 2_011_001;
}

const deployed = (name: string) => readFile(`${ROOT}deploy/${name}`, 'utf8');

test.each(Object.entries(EXAMPLES))(
  '%s gives GET /changes?wait=30 time for its answer',
  async (_, example) => {
    const limits = [...(await deployed(example.file)).matchAll(example.limits)].map(([, seconds]) =>
      Number(seconds),
    );
    expect(limits.length).toBeGreaterThan(0);
    for (const seconds of limits) expect(seconds).toBeGreaterThanOrEqual(40);
  },
);

/** A proxy with the file of `deploy/` before two services. @returns its port */
async function startProxy(name: string, services: readonly Service[]): Promise<number> {
  for (let attempts = 3; ; attempts--) {
    const port = await freePort();
    const fault = await startOn(port, name, services);
    if (fault === undefined) return port;
    // Another process may have taken the port meanwhile.
    if (attempts === 1) throw new Error(`${name} ends at its start: ${fault}`);
  }
}

/** @returns what the proxy said if it ended instead of listening */
async function startOn(
  port: number,
  name: string,
  services: readonly Service[],
): Promise<string | undefined> {
  const { file, changes, start } = EXAMPLES[name]!;
  let config = await deployed(file);
  const ports = services.map(({ origin }, index): [string, string] => [
    `127.0.0.1:300${index + 1}`,
    new URL(origin).host,
  ]);
  for (const [from, to] of [...ports, ...changes(port)]) {
    expect(config).toContain(from);
    config = config.replaceAll(from, to);
  }
  const path = join(folder, file);
  await writeFile(path, config);
  const [command, ...args] = await start(path);
  const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const proxy = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
  let said = '';
  proxy.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  proxies.push(proxy);
  while (proxy.exitCode === null) {
    if (await accepts(port)) return undefined;
    await sleep(20);
  }
  return said;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const proxies: ChildProcess[] = [];

/** Clients of one proxy, which write until they are told to stop. */
function startClients(name: string, port: number, key: string, ca: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, ca, servername: NAME });
  const outcomes = new Map<string, number>();
  let number = 0;

  function ask(
    method: string,
    path: string,
    body?: string,
  ): Promise<{ status: string; hsts?: string | undefined }> {
    return new Promise((resolve) => {
      const headers = {
        host: NAME,
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': `${name}.${number++}`,
      };
      request({ host: '127.0.0.1', port, method, path, agent, headers }, (answer) => {
        const hsts = answer.headers['strict-transport-security'];
        void text(answer).then(
          (body) =>
            resolve({
              status:
                answer.statusCode! < 300
                  ? String(answer.statusCode)
                  : `${answer.statusCode} ${body}`.slice(0, 100),
              hsts,
            }),
          (error) => resolve({ status: String(error) }),
        );
      })
        .on('error', (error) => resolve({ status: String(error) }))
        .end(body);
    });
  }

  async function work(): Promise<void> {
    const { status } = await ask('POST', '/api/v1/contacts', '{"name":"Kari"}');
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
  }

  return {
    name,
    ask,
    outcomes,
    answered: () => outcomes.get('201') ?? 0,
    /** @returns a function that stops them */
    start: () => startSteadyLoad(CLIENTS, work),
    close: () => agent.destroy(),
    openSession: () => openSession(`https://127.0.0.1:${port}`, { ca, servername: NAME }),
    authorization: `Bearer ${key}`,
  };
}

afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(installed.length === 0)('behind each proxy, with TLS,', () => {
  const clients: ReturnType<typeof startClients>[] = [];
  let services: Service[];
  const settings = { DATABASE_URL: '', RATE_LIMIT: 'off', TRUST_PROXY: '127.0.0.1' };

  beforeAll(async () => {
    makeCertificate(NAME, CERTIFICATE);
    const ca = await readFile(`${CERTIFICATE}.crt`, 'utf8');
    await writeFile(`${CERTIFICATE}.pem`, ca + (await readFile(`${CERTIFICATE}.key`, 'utf8')));
    settings.DATABASE_URL = await ownDatabase();
    const start = async () => startService({ ...settings, PORT: String(await freePort()) });
    const first = await start();
    services = [first, await start()];
    for (const name of installed) {
      clients.push(startClients(name, await startProxy(name, services), first.key!, ca));
    }
  });

  afterAll(async () => {
    for (const { close } of clients) close();
    const ends = proxies.filter(({ exitCode }) => exitCode === null).map((proxy) => once(proxy, 'exit'));
    for (const proxy of proxies) proxy.kill('SIGTERM');
    await Promise.all(ends);
  });

  test('answers are marked as such, and what is for operators is not shown', async () => {
    for (const { ask } of clients) {
      await expect
        .poll(() => ask('GET', '/api/v1/me'))
        .toMatchObject({ status: '200', hsts: expect.stringContaining('max-age') });
      for (const path of ['/metrics', '/%6Detrics', '/healthz', '/readyz'])
        expect((await ask('GET', path)).status).toMatch(/^404/);
    }
  });

  test.skipIf(!installed.includes('haproxy'))('HAProxy says when a client hangs up', async () => {
    const client = clients.find(({ name }) => name === 'haproxy')!;
    const session = client.openSession();
    const { promise: refused, resolve } = Promise.withResolvers<void>();
    for (let count = 0; count < 21; count++) {
      const wait = session.request({
        ':path': '/api/v1/changes?wait=30',
        authorization: client.authorization,
        'x-request-id': `hangs-up.${count}`,
      });
      wait.on('response', (headers) => headers[':status'] === 429 && resolve());
    }
    // A 429 says that a service has as many waiting requests as it allows, so the first one waits, too.
    await refused;
    session.destroy();
    await expect
      .poll(() => services.map((service) => service.logged()).join(''))
      .toMatch(/"hangs-up\.0".*"client_left":true/);
  });

  test('a rolling restart loses no request', async () => {
    const stops = clients.map((each) => each.start());
    const more = async () => {
      const before = clients.map(({ answered }) => answered());
      const isMore = () => clients.every(({ answered }, index) => answered() > before[index]! + 20);
      await expect.poll(isMore).toBe(true);
    };
    for (const old of services) {
      await more();
      expect(await old.stop()).toBe(0);
      const fresh = await startService({ ...settings, PORT: new URL(old.origin).port });
      // The next service is stopped once every proxy uses this one.
      const isUsedBy = ({ name }: { name: string }) => fresh.logged().includes(`"request_id":"${name}.`);
      await expect.poll(() => clients.every(isUsedBy)).toBe(true);
    }
    await more();
    for (const stop of stops) await stop();
    for (const { name, outcomes } of clients) {
      if (losesBodies(name)) outcomes.delete('502 ');
      expect([name, ...outcomes.keys()]).toEqual([name, '201']);
    }
  });
});
