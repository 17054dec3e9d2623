// A Citus cluster of this machine, to run tests on: a coordinator and two workers.
//   node test/citus-cluster.ts start   prints the settings to run tests with
//   node test/citus-cluster.ts stop    stops it and removes its files
// PG_BIN names the folder of a PostgreSQL that has Citus installed.

import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distribute } from '../src/distribute/distribute.ts';
import { migrate } from '../src/db/migrate.ts';
import { openClient, runSql } from './database.ts';
import { runAsPostgres } from './run-as-postgres.ts';

const FOLDER = join(tmpdir(), 'kundebok-citus');
const NODES = { coordinator: 9700, one: 9701, two: 9702 };

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = '${FOLDER}'
shared_preload_libraries = 'citus'
max_prepared_transactions = 200
max_connections = 400
max_locks_per_transaction = 256
citus.shard_count = 4
citus.enable_statistics_collection = off
citus.max_cached_conns_per_worker = 4
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 64MB
`;

/** The address of a database of a node. */
export function citusUrl(database: string, node: keyof typeof NODES = 'coordinator'): string {
  return `postgres://postgres@127.0.0.1:${NODES[node]}/${database}`;
}

/** The folder of PostgreSQL's programs; undefined when no PostgreSQL here has Citus. */
function findCitus(): string | undefined {
  const root = '/usr/lib/postgresql';
  const installed = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  const folders = process.env['PG_BIN'] ? [process.env['PG_BIN']] : installed;
  return folders.find((folder) => {
    const config = join(folder, 'pg_config');
    if (!existsSync(config)) return false;
    const shared = execFileSync(config, ['--sharedir'], { encoding: 'utf8' }).trim();
    return existsSync(join(shared, 'extension', 'citus.control'));
  });
}

function run(programs: string, program: string, ...args: string[]): void {
  runAsPostgres(join(programs, program), args);
}

function start(programs: string): void {
  mkdirSync(FOLDER, { recursive: true });
  chmodSync(FOLDER, 0o777);
  for (const [name, port] of Object.entries(NODES)) {
    const data = join(FOLDER, name);
    run(
      programs,
      'initdb',
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    );
    appendFileSync(join(data, 'postgresql.conf'), `${SETTINGS}port = ${port}\n`);
    run(programs, 'pg_ctl', 'start', '-w', '-D', data, '-l', join(FOLDER, `${name}.log`));
  }
}

function stop(programs: string): void {
  for (const name of Object.keys(NODES)) {
    const data = join(FOLDER, name);
    if (existsSync(join(data, 'postmaster.pid')))
      run(programs, 'pg_ctl', 'stop', '-m', 'immediate', '-D', data);
  }
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Makes a database on every node, and joins them into one Citus database. */
export async function createCitusDatabase(name: string): Promise<string> {
  for (const node of Object.keys(NODES) as (keyof typeof NODES)[]) {
    await runSql(citusUrl('postgres', node), `create database ${name}`);
    await runSql(citusUrl(name, node), 'create extension citus');
  }
  await using client = await openClient(citusUrl(name));
  await client.query("select citus_set_coordinator_host('127.0.0.1', $1)", [NODES.coordinator]);
  for (const port of [NODES.one, NODES.two]) {
    await client.query("select citus_add_node('127.0.0.1', $1)", [port]);
  }
  return citusUrl(name);
}

/** Drops such a database from every node, and the one beside it, `…_alone`. */
export async function dropCitusDatabase(name: string): Promise<void> {
  for (const node of Object.keys(NODES) as (keyof typeof NODES)[]) {
    for (const each of [name, `${name}_alone`]) {
      await runSql(citusUrl('postgres', node), `drop database if exists ${each} with (force)`);
    }
  }
}

if (import.meta.main) {
  const programs = findCitus();
  if (programs === undefined)
    throw new Error('no PostgreSQL with Citus is installed here; PG_BIN may name one');
  if (process.argv[2] === 'stop') stop(programs);
  else {
    start(programs);
    const url = await createCitusDatabase('kundebok');
    await migrate(url);
    await distribute(url);
    process.stdout.write(`TEST_DATABASE_URL=${url}\n`);
  }
}
