import { sql, type RawBuilder } from 'kysely';

/** An object with a value for each of the names. */
export function recordOf<Name extends PropertyKey, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

/** Some columns of a row. */
export function pick<Row extends object, Column extends keyof Row>(
  row: Row,
  columns: readonly Column[],
): Pick<Row, Column> {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<Row, Column>;
}

/** `values` of an insert: each column gets the parameter of the same name. */
export function insertedColumns<Column extends string>(
  columns: readonly Column[],
  parameters: { readonly [Name in Column]: unknown },
): Record<Column, RawBuilder<never>> {
  return recordOf(columns, (column) => sql<never>`${parameters[column]}`);
}

/**
 * The parameters of a PATCH, which is one prepared statement whatever fields the body has: each column has a flag
 * for whether the body has it. An absent field keeps its value, null clears it.
 */
export type PatchParameters<Body> = { [Field in keyof Body & string as `has_${Field}`]: boolean } & {
  [Field in keyof Body & string]: Body[Field];
};

/** The flags and values of the given fields in a body. */
export function patchParameters<Body extends object>(
  fields: readonly (keyof Body & string)[],
  body: Body,
): PatchParameters<Required<Body>> {
  const parameters: Record<string, unknown> = {};
  for (const field of fields) {
    parameters[`has_${field}`] = field in body;
    parameters[field] = body[field] ?? null;
  }
  return parameters as PatchParameters<Required<Body>>;
}

/** The `set` of an update: for each field its new value if the body has it, else its value in `before`. */
export function patchedColumns<Field extends string>(
  fields: readonly Field[],
  parameters: Patched<Field>,
): Record<Field, RawBuilder<never>> {
  return recordOf(fields, (field) => patchedColumn(field, parameters));
}

type Patched<Field extends string> = { readonly [Name in Field as `has_${Name}`]: unknown } & {
  readonly [Name in Field]: unknown;
};

/** One column of `patchedColumns`, for a `set` that computes with the sent value. */
export function patchedColumn<Field extends string>(
  field: Field,
  parameters: Patched<Field>,
): RawBuilder<never> {
  const named: Readonly<Record<string, unknown>> = parameters;
  return sql`case when ${named[`has_${field}`]}::boolean then ${named[field]} else ${sql.ref(`before.${field}`)} end`;
}
