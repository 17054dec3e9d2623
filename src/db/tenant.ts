import type { Queryable } from './connect.ts';
import type { Statement } from './statement.ts';

/**
 * A handle on one workspace, and the only way a feature reaches the database. It fills in `tenant` itself, so
 * that no caller can name another workspace.
 */
export class Tenant {
  /** The workspace's id. */
  readonly id: string;
  readonly #db: Queryable;

  constructor(db: Queryable, id: string) {
    this.#db = db;
    this.id = id;
  }

  /** @throws {DatabaseUnavailable} */
  row<P extends { tenant: string }, Row>(
    statement: Statement<P, Row>,
    parameters: Omit<P, 'tenant'>,
  ): Promise<Row | undefined> {
    return this.#db.row(statement, { ...parameters, tenant: this.id } as P);
  }

  /** @throws {DatabaseUnavailable} */
  rows<P extends { tenant: string }, Row>(
    statement: Statement<P, Row>,
    parameters: Omit<P, 'tenant'>,
  ): Promise<Row[]> {
    return this.#db.rows(statement, { ...parameters, tenant: this.id } as P);
  }
}
