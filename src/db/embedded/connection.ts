import { randomBytes, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from './errors.ts';
import { writeDurably } from './files.ts';

/** How to reach the embedded server; kept beside its data, readable by the owner only. */
const connectionSchema = z.object({
  port: z.int().min(1).max(65_535),
  /** Of the role `kundebok`, which owns the database and may do nothing beyond it. */
  password: z.string().min(1),
  /** Of the superuser `postgres`. */
  superuserPassword: z.string().min(1),
});

export type Connection = z.infer<typeof connectionSchema>;

/** A connection with new passwords. */
export function newConnection(): Connection {
  const [password, superuserPassword] = [randomBytes(24), randomBytes(24)];
  return {
    port: newPort(),
    password: password.toString('base64url'),
    superuserPassword: superuserPassword.toString('base64url'),
  };
}

/**
 * Some port below every system's range for outgoing connections, so that none of those can sit on it while
 * PostgreSQL is down. PostgreSQL itself says when it is taken.
 */
export function newPort(): number {
  return randomInt(20_000, 30_000);
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
  return urlOf('kundebok', password, port);
}

/** The superuser's URL, for setting up the service's own role and database. */
export function superuserUrl({ port, superuserPassword }: Connection): string {
  return urlOf('postgres', superuserPassword, port);
}

// sslmode keeps a PGSSLMODE in the service's environment from being applied to the loopback connection.
function urlOf(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${role}?sslmode=disable`;
}

function fileIn(folder: string): string {
  return join(folder, 'connection.json');
}
