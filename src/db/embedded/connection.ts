import { randomBytes, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from './errors.ts';
import { writeDurably } from './files.ts';

const FILE = 'connection.json';

/** How to reach the embedded server. Stays the same from start to start. */
const connectionSchema = z.object({
  port: z.int().min(1).max(65_535),
  /** The password of the role `kundebok`, which owns the database and may do nothing beyond it. */
  password: z.string().min(1),
  /** The password of the superuser `postgres`. */
  superuserPassword: z.string().min(1),
});

export type Connection = z.infer<typeof connectionSchema>;

/** A connection with new passwords. */
export function newConnection(): Connection {
  return { port: newPort(), password: newPassword(), superuserPassword: newPassword() };
}

const newPassword = () => randomBytes(24).toString('base64url');

/**
 * A port below every system's range for outgoing connections, so that none of those can occupy it while
 * PostgreSQL is down. If the port is taken all the same, PostgreSQL says so.
 */
export function newPort(): number {
  return randomInt(20_000, 30_000);
}

/** What `folder` records, or undefined when it records nothing that can be used. */
export async function readConnection(folder: string): Promise<Connection | undefined> {
  try {
    return connectionSchema.parse(JSON.parse(await readFile(join(folder, FILE), 'utf8')));
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) throw error;
    return undefined;
  }
}

/** Records the connection in `folder`, for its owner only. */
export async function saveConnection(folder: string, connection: Connection): Promise<void> {
  await writeDurably(join(folder, FILE), `${JSON.stringify(connection, null, 2)}\n`, 0o600);
}

/** The URL for the service and its commands. */
export function serviceUrl({ port, password }: Connection): string {
  return urlOf('kundebok', password, port);
}

/** The URL for setting up the service's role and database. */
export function superuserUrl({ port, superuserPassword }: Connection): string {
  return urlOf('postgres', superuserPassword, port);
}

// sslmode and options keep PGSSLMODE and PGOPTIONS in the service's environment from being applied to the loopback
// connection. An empty `options` would not prevent that.
function urlOf(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${role}?sslmode=disable&options=%20`;
}
