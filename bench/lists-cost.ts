import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** What is asked in a row and counts as one reading. */
const AT_ONCE = 5;

/** Measures what this process and the one connection of its pool take: processor time, whatever else the machine does. */
export class Meter {
  readonly #pool: Pool;
  readonly #backend: number;
  readonly #rounds: number;

  private constructor(pool: Pool, backend: number, rounds: number) {
    this.#pool = pool;
    this.#backend = backend;
    this.#rounds = rounds;
  }

  /** @param pool of one connection, to a PostgreSQL on this machine (Linux) */
  static async of(pool: Pool, rounds: number): Promise<Meter> {
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    return new Meter(pool, rows[0]!.pid, rounds);
  }

  /**
   * Asks in turns, so that whatever else the machine does meets all alike.
   * @returns the least milliseconds of processor time of each, of this process and of PostgreSQL together
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

  /** The time of a process counts once it waits: for the next statement, here. */
  async #used(): Promise<number> {
    await this.#pool.query('');
    const { user, system } = process.cpuUsage();
    const [backend] = readFileSync(`/proc/${this.#backend}/schedstat`, 'utf8').split(' ');
    return (user + system) / 1e3 + Number(backend) / 1e6;
  }
}
