import { createHash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
} from 'kysely';

/**
 * A query compiled once, when its module loads, and sent as a named prepared statement from then on.
 * `P` are its parameters by name, `Row` what one row of the answer holds.
 */
export type Statement<P extends object, Row> = {
  /** Absent for one that PostgreSQL plans each time, with the values at hand. */
  readonly name: string | undefined;
  readonly text: string;
  /** Whether it changes nothing, so that it may be sent again when its connection broke. */
  readonly reads: boolean;
  /** Parameters in the order of $1, $2, …: a marker for a named parameter, else a constant. */
  readonly order: readonly unknown[];
  /** Never present; carries the types. */
  readonly types?: (parameters: P) => Row;
};

/** PostgreSQL cuts names at 63 bytes; the digest must survive. */
const LONGEST_TITLE = 48;

/** Builds queries over the given tables; it compiles and can execute nothing. */
export function builder<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** A query of the builder, or one written out in `sql`. */
type Buildable<Row> = { compile(compiler: Kysely<unknown>): CompiledQuery<Row> };

/**
 * Compiles a query. The function is called once, with a marker in place of each parameter it reads.
 * @example statement('find offer', (p: { tenant: string; id: string }) => sql.selectFrom('offers')…)
 */
export function statement<P extends object, Row>(
  title: string,
  build: (parameters: P) => Buildable<Row>,
): Statement<P, Row> {
  if (title.length > LONGEST_TITLE) throw new Error(`the title of a statement is too long: ${title}`);
  const { sql, parameters, query } = compile(build);
  const reads = query.kind === 'SelectQueryNode' && query.with === undefined;
  return { name: nameOf(title, sql), text: sql, reads, order: parameters };
}

/** A query written out in `sql` that changes nothing. @param title absent for one that is planned each time */
export function reading<P extends object, Row>(
  title: string | undefined,
  build: (parameters: P) => Buildable<Row>,
): Statement<P, Row> {
  const { sql, parameters } = compile(build);
  return { name: title && nameOf(title, sql), text: sql, reads: true, order: parameters };
}

function compile<Row>(build: (parameters: never) => Buildable<Row>): CompiledQuery<Row> {
  const markers = new Proxy({}, { get: (_, name) => new Marker(String(name)) });
  return build(markers as never).compile(builder());
}

/** The digest keeps a statement of an older release, still prepared behind a pooler, from being mistaken for this one. */
function nameOf(title: string, text: string): string {
  return `${title} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** The values of $1, $2, … for one execution. */
export function valuesOf<P extends object>(statement: Statement<P, unknown>, parameters: P): unknown[] {
  return statement.order.map((entry) =>
    entry instanceof Marker ? parameters[entry.name as keyof P] : entry,
  );
}

class Marker {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** A marker in a template string would become text, unnoticed. */
  [Symbol.toPrimitive](): never {
    throw new Error(`parameter ${this.name} was used as text while its statement was built`);
  }
}
