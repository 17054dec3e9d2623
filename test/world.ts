import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, inject } from 'vitest';
import type { Config } from '../src/config.ts';
import type { Register } from '../src/register/register.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { buildServer, type Service } from '../src/server.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Tracer } from '../src/tracing/work.ts';
import { distribute } from '../src/distribute/distribute.ts';
import { createCitusDatabase, dropCitusDatabase } from './citus-cluster.ts';
import { clientFor, type Client } from './client.ts';
import { databaseUrl, dropDatabase, runSql } from './database.ts';
import { judge } from './promises.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export type { Workspace } from './workspace.ts';

export type ServerOptions = {
  register?: Register;
  rateLimit?: Config['rateLimit'];
  trustProxy?: Config['trustProxy'];
  databaseConnections?: number;
  singleSignOn?: Config['singleSignOn'];
  publicUrl?: Config['publicUrl'];
  backup?: Config['backup'];
  tracer?: Tracer;
  /** Another database than the world's own. */
  url?: string;
  /** Keeps what is logged in `logs`; otherwise nothing is. */
  keepLogs?: boolean;
};

/** One running service and how to talk to it. */
export type Running = {
  origin: string;
  port: number;
  server: Service;
  /** What was logged, a line each, parsed; empty unless `keepLogs`. */
  logs: Record<string, unknown>[];
  /** A client with a key, or with none. */
  client(token?: string): Client;
  /** A browser with a person's session, or with none: its paths are below /app/api. */
  browser(session?: string): Client;
  /** Shuts it down as a signal does; the world does it otherwise. */
  end(): Promise<void>;
};

export type World = Running & {
  /** The file's own database, and one beside it from which the file's own can be managed. */
  databaseUrl: string;
  serverUrl: string;
  /** Rows of a statement, past the service. */
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of any table
  query(text: string, values?: unknown[]): Promise<any[]>;
  /** A fresh workspace with an owner, a second member and a key of the owner that may do everything. */
  workspace(on?: Running): Promise<Workspace>;
  /** Another service on the same database; ends with the world. */
  start(options?: ServerOptions): Promise<Running>;
};

/** The port of a world that has ended. If the next one takes it, the browser has the pages' code already. */
let freePort = 0;

/**
 * What a test file lives in: a database of its own and the service on a port of its own. Call it once, outside
 * of any test; it ends itself after the file's last test.
 */
export async function createWorld(options: ServerOptions = {}): Promise<World> {
  const { url: serverUrl, prefix, isCitus } = inject('postgres');
  const name = prefix + randomBytes(6).toString('hex');
  const { url, drop } = await (isCitus ? distributeNew(name) : cloneTemplate(name));
  const pool = new Pool({ connectionString: url, max: 4 });
  // Ending the pool does not wait for the server, which closes what is left when the database is dropped.
  pool.on('error', () => {});
  const endings: (() => Promise<void>)[] = [];

  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
    await pool.end();
    await drop();
    freePort = first.port;
  });

  async function start(own: ServerOptions = {}, wanted = 0): Promise<Running> {
    const running = await startServer({ ...own, url: own.url ?? url }, wanted);
    endings.push(() => running.end());
    return running;
  }

  const wanted = freePort;
  freePort = 0;
  const first = await start(options, wanted);
  const query: World['query'] = async (text, values) => {
    const { rows } = await pool.query(text, values);
    if (isCitus && CHANGES_KEYS.test(text)) await tellOfKeys(pool);
    return rows;
  };
  return {
    ...first,
    databaseUrl: url,
    serverUrl,
    query,
    start: (own) => start(own),
    workspace: (on = first) => createWorkspace(query, on),
  };
}

const CHANGES_KEYS = /^\s*(?:update|delete from) (?:api_keys|memberships)\b/;

/** On Citus no trigger tells of keys that are changed past the service: see docs/scaling.md. */
async function tellOfKeys(pool: Pool): Promise<void> {
  const { rows } = await pool.query('select id from api_keys');
  const ids = rows.map(({ id }) => id);
  await pool.query("select pg_notify('api_key_changed', id) from unnest($1::text[]) as id", [ids]);
}

type Made = { url: string; drop: () => Promise<void> };

async function cloneTemplate(name: string): Promise<Made> {
  const { url, template } = inject('postgres');
  await runSql(url, `create database ${name} template ${template}`);
  return { url: databaseUrl(url, name), drop: () => dropDatabase(url, name) };
}

/** A clone would reach the coordinator alone. */
async function distributeNew(name: string): Promise<Made> {
  const url = await createCitusDatabase(name);
  await migrate(url);
  await distribute(url);
  return { url, drop: () => dropCitusDatabase(name) };
}

async function startServer(options: ServerOptions & { url: string }, wanted: number): Promise<Running> {
  const logs: Record<string, unknown>[] = [];
  const log = options.keepLogs
    ? pino({ level: 'info' }, { write: (line: string) => void logs.push(JSON.parse(line)) })
    : pino({ level: 'silent' });
  const server = buildServer({
    config: {
      register: 'sandbox',
      rateLimit: options.rateLimit ?? 'off',
      trustProxy: options.trustProxy ?? [],
      singleSignOn: options.singleSignOn,
      publicUrl: options.publicUrl,
      databaseConnections: options.databaseConnections ?? 8,
      backup: options.backup,
      slowRequestMs: 1_000,
    },
    databaseUrl: options.url,
    register: options.register ?? sandboxRegister(),
    tracer: options.tracer,
    log,
    // The event loop may be late because of the test itself.
    load: { lagMs: Infinity, memory: Infinity },
  });
  const host = '127.0.0.1';
  // Another process may have the port by now.
  await server.app.listen({ host, port: wanted }).catch(() => server.app.listen({ host, port: 0 }));
  const { port } = server.app.server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let ended: Promise<void> | undefined;
  return {
    origin,
    port,
    server,
    logs,
    client: (token) => clientFor({ origin, token, agent, judge }),
    // Answers of the application are not described, so there is nothing to judge them by.
    browser: (session = '') => clientFor({ origin, token: undefined, session, agent, judge() {} }),
    end() {
      // Connections with a request under way are left, so that it is answered.
      for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
      ended ??= server.close().then(() => agent.destroy());
      return ended;
    },
  };
}
