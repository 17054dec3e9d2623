import type { Database, Queryable, Transaction } from './connect.ts';
import type { Statement } from './statement.ts';

/**
 * A transaction that begins with the first statement that writes, so that reads and calls to other systems before
 * it hold no connection. A first write that changes nothing ends the transaction; the next write begins another.
 */
export class LateTransaction implements Queryable {
  readonly #db: Database;
  readonly #onBegin: (transaction: Queryable) => Promise<void>;
  #open: Transaction | undefined;

  /** @param onBegin runs first in each transaction */
  constructor(db: Database, onBegin: (transaction: Queryable) => Promise<void>) {
    this.#db = db;
    this.#onBegin = onBegin;
  }

  async row<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row | undefined> {
    return (await this.rows(statement, parameters))[0];
  }

  async rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    if (statement.reads) return (this.#open ?? this.#db).rows(statement, parameters);
    const isFirst = this.#open === undefined;
    this.#open ??= await this.#begin();
    const rows = await this.#open.rows(statement, parameters);
    if (isFirst && rows.length === 0) await this.rollback();
    return rows;
  }

  /** Runs `work`, which needs a transaction from its first statement: locks are held, and a failure undoes it. */
  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    this.#open ??= await this.#begin();
    try {
      return await work(this.#open);
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  /** Does nothing if nothing was written. @throws {DatabaseUnavailable} when the outcome of the commit is unknown */
  async commit(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.commit();
  }

  async rollback(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.rollback();
  }

  async #begin(): Promise<Transaction> {
    const open = await this.#db.begin();
    try {
      await this.#onBegin(open);
      return open;
    } catch (error) {
      await open.rollback();
      throw error;
    }
  }
}
