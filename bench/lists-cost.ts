import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** Calls in a row that count as one reading. */
const AT_ONCE = 5;

/** Measures processor time, whatever else the machine does. */
export class Meter {
  readonly #used: () => Promise<number>;
  readonly #rounds: number;

  /** @param used gives the milliseconds of processor time used so far */
  constructor(used: () => Promise<number>, rounds: number) {
    this.#used = used;
    this.#rounds = rounds;
  }

  /**
   * Measures this process and the process of PostgreSQL that serves the pool's one connection.
   * @param pool of one connection, to a PostgreSQL on this machine (Linux)
   */
  static async of(pool: Pool, rounds: number): Promise<Meter> {
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0]!;
    return new Meter(async () => {
      // The kernel updates the time of a process when it waits: here, for the next statement.
      await pool.query('');
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e3 + usedBy(pid);
    }, rounds);
  }

  /**
   * Calls the functions in turns, so that other load on the machine affects all alike.
   * @returns the least milliseconds that each of them took
   */
  async leastOf(asks: readonly (() => Promise<unknown>)[]): Promise<number[]> {
    const least = asks.map(() => Infinity);
    // The first rounds prepare statements and fill caches.
    for (let round = -2; round < this.#rounds; round += 1) {
      for (const [index, ask] of asks.entries()) {
        const before = await this.#used();
        for (let n = 0; n < AT_ONCE; n += 1) await ask();
        const used = ((await this.#used()) - before) / AT_ONCE;
        if (round >= 0) least[index] = Math.min(least[index]!, used);
      }
    }
    return least;
  }
}

/** Milliseconds of processor time that a process of this machine has used. */
export function usedBy(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
