import { randomBytes, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from './errors.ts';
import { writeDurably } from './files.ts';

/** How to reach the embedded server; kept beside its data, readable by the owner only. */
const connectionSchema = z.object({
  port: z.int().min(1).max(65_535),
  /** Of the role `kundebok`, which owns the database and is no superuser. */
  password: z.string().min(1),
  /** Of the superuser `postgres`. */
  superuserPassword: z.string().min(1),
});

export type Connection = z.infer<typeof connectionSchema>;

// Below every system's range for outgoing connections, so that none of those can sit on the port while
// PostgreSQL is down.
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** A connection with new passwords and a free port. */
export async function newConnection(): Promise<Connection> {
  return {
    port: await findFreePort(),
    password: randomBytes(24).toString('base64url'),
    superuserPassword: randomBytes(24).toString('base64url'),
  };
}

/** What `folder` records, or undefined when it records nothing that can be used. */
export async function readConnection(folder: string): Promise<Connection | undefined> {
  try {
    return connectionSchema.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) throw error;
    return undefined;
  }
}

/** Records the connection in `folder`, mode 600. */
export async function saveConnection(folder: string, connection: Connection): Promise<void> {
  await writeDurably(fileIn(folder), `${JSON.stringify(connection, null, 2)}\n`, 0o600);
}

/** The URL the service and its commands use. */
export function serviceUrl({ port, password }: Connection): string {
  return urlOf('kundebok', password, port, 'kundebok');
}

/** The superuser's URL, for setting up the service's own role and database. */
export function superuserUrl({ port, superuserPassword }: Connection): string {
  return urlOf('postgres', superuserPassword, port, 'postgres');
}

/** A TCP port on 127.0.0.1 that nobody listens on. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port between ${FIRST_PORT} and ${LAST_PORT} on 127.0.0.1`);
}

/** Whether nobody listens on the TCP port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}

// sslmode keeps a PGSSLMODE in the service's environment from being applied to the loopback connection.
function urlOf(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

function fileIn(folder: string): string {
  return join(folder, 'connection.json');
}
