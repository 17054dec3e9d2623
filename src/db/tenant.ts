import type { Database, Queryable } from './connect.ts';
import type { Statement } from './statement.ts';

/** Who changes data, and in which request. `Tenant` fills it in; it is stored with every change. */
export type Change = {
  tenant: string;
  actor_kind: 'key' | 'user' | 'register' | 'command';
  /** Id of the key or person, or name of the command. */
  actor_id: string | null;
  /** The responsible person: for a key, its creator. */
  author_id: string | null;
  request_id: string | null;
};

type Author = Omit<Change, 'tenant' | 'request_id'>;

/**
 * A handle on one workspace, through which features reach its data. It fills in `tenant` and the author itself, so that
 * no caller can name another workspace.
 */
export class Tenant {
  /** The workspace's id. */
  readonly id: string;
  readonly #db: Queryable & Partial<Pick<Database, 'transaction'>>;
  readonly #change: Change;

  constructor(db: Queryable, id: string, author: Author, requestId: string | null = null) {
    this.#db = db;
    this.id = id;
    this.#change = { tenant: id, ...author, request_id: requestId };
  }

  /** The same workspace and author for one request; `db` replaces the pool inside a transaction. */
  for(requestId: string, db: Queryable = this.#db): Tenant {
    return new Tenant(db, this.id, this.#change, requestId);
  }

  /** Runs `work` in one transaction. */
  transaction<T>(work: (tenant: Tenant) => Promise<T>): Promise<T> {
    const { request_id } = this.#change;
    // A transaction cannot begin another.
    return this.#db.transaction
      ? this.#db.transaction((transaction) =>
          work(new Tenant(transaction, this.id, this.#change, request_id)),
        )
      : work(this);
  }

  /** The first row, or undefined. @throws {DatabaseUnavailable} */
  row<P extends { tenant: string }, Row>(
    statement: Statement<P, Row>,
    parameters: Omit<P, keyof Change>,
  ): Promise<Row | undefined> {
    return this.#db.row(statement, { ...parameters, ...this.#change } as unknown as P);
  }

  /** @throws {DatabaseUnavailable} */
  rows<P extends { tenant: string }, Row>(
    statement: Statement<P, Row>,
    parameters: Omit<P, keyof Change>,
  ): Promise<Row[]> {
    return this.#db.rows(statement, { ...parameters, ...this.#change } as unknown as P);
  }
}

/** A workspace that a command changes. @param command the command's name, for the change log */
export function tenantOfCommand(db: Queryable, id: string, command: string): Tenant {
  return new Tenant(db, id, { actor_kind: 'command', actor_id: command, author_id: null });
}
