import type { Config } from '../config.ts';

/** Of the register's own pool, beside the client of its sync. */
export const REGISTER_CONNECTIONS = 4;

/** Most connections that a process that answers requests holds: the pool, the listener, and the register's. */
export function connectionsOf({ databaseConnections, register }: Config): number {
  return databaseConnections + 1 + (register === 'national' ? REGISTER_CONNECTIONS + 1 : 0);
}
