import type { Config } from '../config.ts';
import type { Pooling } from '../db/pooler.ts';
import { REGISTER_CONNECTIONS } from '../register/open.ts';

/** With fewer connections to PostgreSQL, PgBouncer in transaction mode makes requests wait for each other. */
const MIN_SHARED_CONNECTIONS = 3;

/** The most connections of a process that answers requests: the pool, the listener, and the register's. */
export function connectionsOf({ databaseConnections, register }: Config): number {
  return databaseConnections + 1 + (register === 'national' ? REGISTER_CONNECTIONS + 1 : 0);
}

/**
 * The fewest connections to PostgreSQL that a pooler must have for a service. With fewer, background work would wait
 * for one in vain, or hold those that requests need.
 */
export function connectionsBehindPooler(mode: Pooling['mode'], config: Config): number {
  const { workers, backup, register } = config;
  // A backup takes a connection for its lock, one for the copy, and for a moment a third; housekeeping takes one.
  if (mode === 'session') return workers * connectionsOf(config) + (backup ? 3 : 0) + 1;
  // Only long transactions count: those of a backup and of its lock, and that of the lock of a sync.
  return MIN_SHARED_CONNECTIONS + (backup ? 2 : 0) + (register === 'national' ? 1 : 0);
}
