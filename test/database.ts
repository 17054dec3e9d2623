import { Client, DatabaseError } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, text: string): Promise<void> {
  await using client = await openClient(url);
  await client.query(text);
}

const DENIED = /^permission denied to terminate process/;

/** Drops a database and ends its connections; waits for autovacuum, which the role may not end. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  for (;;) {
    try {
      return await runSql(url, `drop database if exists ${name} with (force)`);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !DENIED.test(error.message)) throw error;
      await sleep(50);
    }
  }
}

/** A connection that ends with the block it is used in. If it is lost, the next statement throws. */
export async function openClient(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
