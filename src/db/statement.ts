import { createHash } from 'node:crypto';
import { createQueryId, PostgresQueryCompiler, type CompiledQuery, type RawBuilder } from 'kysely';

/**
 * A query that is compiled once, in most cases when its module loads, and sent as a named prepared statement.
 * `P` are its parameters by name, `Row` is a row of its result.
 */
export type Statement<P extends object, Row> = {
  /** Undefined for a statement that PostgreSQL plans each time, with its values. */
  readonly name: string | undefined;
  /** For metrics and logs: without the digest, so that there are few different titles. */
  readonly title: string;
  readonly text: string;
  /** Whether it only reads, so that it can be sent again after its connection broke. */
  readonly reads: boolean;
  /** The values of $1, $2, …: a marker for a named parameter, else a constant. */
  readonly order: readonly unknown[];
  /** The shorter form of the statement, for executions in which the parameter `unless` is false. */
  readonly lean?: { readonly unless: string; readonly statement: Statement<P, Row> };
  /** Never present; carries the types only. */
  readonly types?: (parameters: P) => Row;
};

/** Statements that PostgreSQL plans each time: lists with filters. */
const UNNAMED = 'list';

/** PostgreSQL truncates names to 63 bytes, which must include the digest. */
const MAX_TITLE_LENGTH = 48;

/** Compiles what is written in `sql`. */
const compiler = new PostgresQueryCompiler();

/**
 * Statements of this process by their text, only for tests. A test cannot collect them: most statements are compiled
 * when their modules load, and a test file shares the modules that earlier files of its worker have loaded.
 */
const compiled = new Map<string, Statement<object, unknown>>();

/** Text and parameters of all statements, for tests of rules that apply to all. */
export function listStatements(): { title: string; text: string; parameters: string[] }[] {
  return [...compiled.values()].map(({ title, text, order }) => ({
    title,
    text,
    parameters: order.flatMap((entry) => (entry instanceof Marker ? [entry.name] : [])),
  }));
}

function keep<P extends object, Row>(
  title: string | undefined,
  { sql, parameters }: CompiledQuery,
  reads: boolean,
): Statement<P, Row> {
  const name = title && nameOf(title, sql);
  const made = { name, title: title ?? UNNAMED, text: sql, reads, order: parameters };
  compiled.set(sql, made);
  return made;
}

/**
 * Compiles SQL. Text that begins with `select` counts as a read, also with `for update`. `build` is called once, with a
 * marker for each parameter that it reads.
 * @example statement('find name', (p: { id: string }) => sql<{ name: string }>`select name from users where id = ${p.id}`)
 */
export function statement<P extends object, Row>(
  title: string,
  build: (parameters: P) => RawBuilder<Row>,
): Statement<P, Row> {
  if (title.length > MAX_TITLE_LENGTH) throw new Error(`the title of a statement is too long: ${title}`);
  const made = compile(build);
  return keep(title, made, /^\s*select\b/.test(made.sql));
}

/**
 * A statement in two forms: where the parameter `flag` is false, `build` leaves out what is only needed where it is
 * true. PostgreSQL sets up every part of a statement, also those that find nothing to do.
 */
export function statementBy<P extends object, Row>(
  flag: keyof P & string,
  title: string,
  build: (parameters: P, isSet: boolean) => RawBuilder<Row>,
): Statement<P, Row> {
  const lean = statement(title, (parameters: P) => build(parameters, false));
  const whole = statement(title, (parameters: P) => build(parameters, true));
  return { ...whole, lean: { unless: flag, statement: lean } };
}

/** The form of a statement for these parameters. */
export function formOf<P extends object, Row>(
  statement: Statement<P, Row>,
  parameters: P,
): Statement<P, Row> {
  const { lean } = statement;
  return lean && !parameters[lean.unless as keyof P] ? lean.statement : statement;
}

/**
 * For a query that only reads but does not begin with `select`, or one without a title.
 * @param title undefined for a query that is planned each time
 */
export function reading<P extends object, Row>(
  title: string | undefined,
  build: (parameters: P) => RawBuilder<Row>,
): Statement<P, Row> {
  return keep(title, compile(build), true);
}

function compile(build: (parameters: never) => RawBuilder<unknown>): CompiledQuery {
  const markers = new Proxy({}, { get: (_, name) => new Marker(String(name)) });
  return compiler.compileQuery(build(markers as never).toOperationNode(), createQueryId());
}

/** Behind a pooler, an older release may have prepared another text under the same title. */
function nameOf(title: string, text: string): string {
  return `${title} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** The values of $1, $2, … of one execution. */
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

  /** In a template string, a marker would silently become text. */
  [Symbol.toPrimitive](): never {
    throw new Error(`parameter ${this.name} was used as text while its statement was built`);
  }
}
