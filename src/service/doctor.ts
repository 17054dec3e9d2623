import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inspectBackups, inspectFolder } from '../backup/inspect.ts';
import { InvalidConfig, loadConfig, type Config } from '../config.ts';
import { EmbeddedPostgresError } from '../db/embedded/errors.ts';
import { findHome } from '../db/embedded/home.ts';
import { findEmbeddedPostgres, isInUse } from '../db/embedded.ts';
import { findSchemaState } from '../db/schema-state.ts';
import { countRoom, inspectPooling, UnfitPooler } from '../db/pooler.ts';
import { findReadOnlyReason } from '../db/read-only.ts';
import { inspectServer } from '../db/fit-server.ts';
import { withSession, type Session } from '../db/session.ts';
import { connectionsBehindPooler, connectionsOf } from './connections.ts';
import { inspectPublicUrl } from './public-url.ts';
import { reasonOf } from '../db/unavailable.ts';
import { findMirror, listFeeds, type Feed, type Mirror } from '../register/mirror/state.ts';
import { findMirrorFaults } from '../register/mirror/status.ts';
import { KNOWN_ORGNR } from '../register/national/client.ts';
import { openNational } from '../register/open.ts';
import { checkCollector, withoutSecrets } from '../tracing/opentelemetry.ts';
import { adviceOnFailure } from '../cli/database-advice.ts';
import { printFindings, type Finding } from '../cli/findings.ts';

const MIN_DISK_BYTES = 1024 ** 3;
/** For migrations, commands and backups. */
const SPARE_CONNECTIONS = 10;

/** Settings of a connection that PgBouncer in transaction mode loses; also in docs/operating.md. */
const TIME_LIMITS = [
  "statement_timeout = '8s'",
  "lock_timeout = '5s'",
  "idle_in_transaction_session_timeout = '10s'",
];

/**
 * Checks settings, database, schema, register and disk, and changes nothing.
 * @throws {CommandError} when a check failed, after printing all
 */
export async function doctor(options: { json?: boolean }): Promise<void> {
  const findings = await examine().catch((error: unknown): Finding[] => {
    if (!(error instanceof InvalidConfig)) throw error;
    const found = error.faults.join('; ');
    return [{ check: 'settings', ok: false, found, advice: 'see docs/settings.md' }];
  });
  printFindings(findings, options);
}

/** @throws {InvalidConfig} */
async function examine(): Promise<Finding[]> {
  const config = loadConfig();
  return [
    { check: 'settings', ok: true, found: 'all valid' },
    { check: 'node', ok: true, found: process.version },
    ...(await database(config)),
    await register(config),
    await traces(config),
    ...(await inspectPublicUrl(config)),
    ...(config.databaseUrl === undefined ? [await disk(config)] : []),
  ];
}

async function database(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return server(config, config.databaseUrl);
  try {
    const url = await findEmbeddedPostgres(config.dataDir);
    if (url !== undefined) return await server(config, url);
    return [await unanswered(config), ...(config.backup ? await inspectFolder(config.backup) : [])];
  } catch (error) {
    // The message of an EmbeddedPostgresError says what to do; its cause does not.
    const found = error instanceof EmbeddedPostgresError ? error.message : reasonOf(error);
    return [{ check: 'database', ok: false, found }];
  }
}

/** Without data, the service was never started, or this command runs with another DATA_DIR than the service. */
async function unanswered({ dataDir }: Config): Promise<Finding> {
  const check = 'database';
  if (await isInUse(dataDir)) {
    const found = `embedded, in ${dataDir}: a process uses it, and its PostgreSQL does not answer`;
    return { check, ok: false, found, advice: 'see the log of the service' };
  }
  const home = await findHome(dataDir);
  if (home !== undefined) {
    return { check, ok: true, found: `embedded, in ${home}, not running; the service starts it` };
  }
  const warning = `embedded, with no data in ${resolve(dataDir)}: the service would begin with an empty database there`;
  return { check, ok: true, found: warning, warning };
}

async function server(config: Config, url: string): Promise<Finding[]> {
  const inspect = async (client: Session): Promise<Finding[]> => {
    const { version, advice } = await inspectServer(client);
    const where = config.databaseUrl === undefined ? 'embedded' : 'of DATABASE_URL';
    return [
      {
        check: 'database',
        ok: advice === undefined,
        found: `PostgreSQL ${version}, ${where}`,
        advice,
      },
      ...(await writes(client)),
      ...(client.pooled ? [await pooler(url, config)] : []),
      ...(config.databaseUrl === undefined || client.pooled ? [] : [await connections(client, config)]),
      ...(await schema(client, config)),
    ];
  };
  return withSession(url, inspect).catch((error: unknown) => {
    const { advice } = adviceOnFailure(error);
    return [{ check: 'database', ok: false, found: reasonOf(error), advice }];
  });
}

async function writes(client: Session): Promise<Finding[]> {
  const found = await findReadOnlyReason(client);
  const advice = 'set DATABASE_URL to the server that accepts writes, or to all servers';
  return found === undefined ? [] : [{ check: 'writes', ok: false, found, advice }];
}

async function pooler(url: string, config: Config): Promise<Finding> {
  const check = 'pooler';
  try {
    const { mode, hasTimeLimits } = await inspectPooling(url);
    const needed = connectionsBehindPooler(mode, config);
    const room = await countRoom(url, needed);
    if (room < needed) {
      return {
        check,
        ok: false,
        found: `${mode} mode, with ${room} connections to PostgreSQL where ${needed} are needed`,
        advice: `set default_pool_size = ${needed} in pgbouncer.ini, more with several services, and run in its console: reload`,
      };
    }
    const found = `${mode} mode${hasTimeLimits ? '' : ', connections start without time limits'}`;
    const target = 'alter role current_user in database kundebok set';
    const commands = TIME_LIMITS.map((limit) => `${target} ${limit};`).join(' ');
    return { check, ok: hasTimeLimits, found, advice: `run, with the name of your database: ${commands}` };
  } catch (error) {
    if (!(error instanceof UnfitPooler)) throw error;
    return { check, ok: false, found: error.message, advice: 'see docs/operating.md on PgBouncer' };
  }
}

/** All connections of this machine's processes must fit; those of other machines are not counted. */
async function connections(client: Session, config: Config): Promise<Finding> {
  const { rows } = await client.query<{ most: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  );
  const { most = 0 } = rows[0] ?? {};
  const needed = config.workers * connectionsOf(config) + SPARE_CONNECTIONS;
  return {
    check: 'connections',
    ok: most >= needed,
    found: `PostgreSQL accepts ${most}, WORKERS and DATABASE_CONNECTIONS need ${needed}`,
    advice: `run alter system set max_connections = ${needed + SPARE_CONNECTIONS}; and restart PostgreSQL, or set DATABASE_CONNECTIONS to less`,
  };
}

async function schema(client: Session, config: Config): Promise<Finding[]> {
  const { state, found, advice } = await findSchemaState(client);
  const finding = { check: 'schema', ok: state === 'current', found, advice };
  if (!finding.ok) return [finding];
  const dataFolder = config.databaseUrl === undefined ? await findHome(config.dataDir) : undefined;
  return [
    finding,
    ...(config.register === 'national' ? [await mirror(client)] : []),
    ...(config.backup ? [await inspectBackups(client, config.backup, dataFolder)] : []),
  ];
}

async function mirror(client: Session): Promise<Finding> {
  const [state] = (await client.query<Mirror>(findMirror.text)).rows;
  if (!state) return { check: 'mirror', ok: true, found: 'none; every number is looked up in the register' };
  const feeds = await client.query<Feed>(listFeeds.text);
  const { errors, warnings } = findMirrorFaults(state, feeds.rows);
  return {
    check: 'mirror',
    ok: errors.length === 0,
    found: [`of the register, current to ${state.current_at}`, ...errors, ...warnings].join('; '),
    advice: 'run kundebok register sync and see docs/register.md, or import the register again',
    ...(warnings.length > 0 && { warning: warnings.join('; ') }),
  };
}

async function register(config: Config): Promise<Finding> {
  if (config.register === 'sandbox') {
    return {
      check: 'register',
      ok: true,
      found: 'sandbox; set REGISTER=national to look up real companies',
    };
  }
  const { outcome } = await openNational(config)
    .find(KNOWN_ORGNR)
    .catch((error: Error) => ({ outcome: error.message }));
  const ok = outcome === 'found';
  return {
    check: 'register',
    ok,
    found: `national, ${config.registerUrl}: ${ok ? 'answers' : outcome}`,
    advice: 'check the network and REGISTER_URL; companies that a workspace has already are still available',
  };
}

async function traces({ tracing }: Config): Promise<Finding> {
  const check = 'traces';
  if (!tracing)
    return { check, ok: true, found: 'off; set OTEL_EXPORTER_OTLP_ENDPOINT to send them to a collector' };
  const fault = await checkCollector(tracing);
  return {
    check,
    ok: fault === undefined,
    found: `${tracing.sampler}, to ${withoutSecrets(tracing.url)}${fault === undefined ? '' : `: ${fault}`}`,
    advice: 'start the collector, or set OTEL_EXPORTER_OTLP_ENDPOINT to its address for OTLP over HTTP',
  };
}

/** The disk of the data, which may be outside of DATA_DIR when the service runs as root. */
async function disk({ dataDir }: Config): Promise<Finding> {
  const check = 'disk';
  try {
    let folder = (await findHome(dataDir)) ?? dataDir;
    // DATA_DIR itself may not exist before the first start.
    while (!existsSync(folder)) folder = dirname(folder);
    await access(`${folder}/.`, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const found = `${(free / 1024 ** 3).toFixed(1)} GiB free for ${folder}`;
    return { check, ok: free >= MIN_DISK_BYTES, found, advice: 'free at least 1 GiB, or move DATA_DIR' };
  } catch (error) {
    return {
      check,
      ok: false,
      found: reasonOf(error),
      advice: 'set DATA_DIR to a folder that this user may write to',
    };
  }
}
