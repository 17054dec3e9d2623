import type { Config } from '../config.ts';
import { REGISTER_CONNECTIONS } from '../register/open.ts';

/** The most connections of a process that answers requests: the pool, the listener, and the register's. */
export function connectionsOf({ databaseConnections, register }: Config): number {
  return databaseConnections + 1 + (register === 'national' ? REGISTER_CONNECTIONS + 1 : 0);
}
