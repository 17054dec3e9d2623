import { describe, expect, test } from 'vitest';
import { ask, fieldsAtFault, sampleOf, type Sample } from './ask.ts';
import type { Answer } from './client.ts';
import {
  ANY_TYPE,
  ASTRAL,
  BLANK,
  EMAILS,
  INSTANTS,
  NOT_EMAILS,
  NOT_INSTANTS,
  NOT_UUIDS,
  TEXTS,
  UNSTORABLE,
  UUIDS,
} from './corpora.ts';
import type { Field } from './operation-fields.ts';
import { OPERATIONS } from './operations.ts';
import { countRows } from './repeats.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

const withBody = OPERATIONS.filter(({ body }) => body).map((operation) => ({
  ...operation,
  body: operation.body!,
}));

/** Whether a JSON value is of the field's JSON type. */
function isOfType(value: unknown, field: Field): boolean {
  if (value === null) return field.nullable === true;
  if (field.is === 'whole') return Number.isInteger(value);
  return typeof value === (field.is === 'boolean' ? 'boolean' : 'string');
}

/** Values that a field refuses, of its own JSON type or not. */
function refusedBy(field: Field): unknown[] {
  const types = ANY_TYPE.filter((value) => !isOfType(value, field));
  switch (field.is) {
    case 'text': {
      const tooLong = ['x', ASTRAL].map((character) => character.repeat(field.longest + 1));
      return [...types, ...UNSTORABLE, ...tooLong, ...(field.blank ? [] : BLANK)];
    }
    case 'email':
      return [...types, ...UNSTORABLE, ...NOT_EMAILS];
    case 'orgnr':
      return [...types, '', '12345678', '1234567890', '12345678x', ' 23456789', '12345678\n', '١٢٣٤٥٦٧٨٩'];
    case 'uuid':
      return [...types, '', ...NOT_UUIDS];
    case 'choice':
      return [
        ...types,
        '',
        'unknown',
        field.of[0]!.toUpperCase(),
        ` ${field.of[0]}`,
        'constructor',
        '\u0000',
      ];
    case 'whole':
      return [
        ...types,
        field.least - 1,
        field.most + 1,
        -(2 ** 31),
        2 ** 53,
        -1,
        1e20,
        1.5,
        '5',
        String(field.least),
      ];
    case 'boolean':
      return [...types, 0, 1, 'true', 'false', ''];
    default:
      return [...types, ...NOT_INSTANTS, ...UNSTORABLE];
  }
}

const same = (values: readonly unknown[]) => values.map((value) => [value, value] as const);

/** Values that a field takes, and what is shown for each. */
function takenBy(field: Field): (readonly [sent: unknown, shown: unknown])[] {
  const cleared = same(field.nullable ? [null] : []);
  switch (field.is) {
    case 'text': {
      const edges = ['x', ASTRAL].map((character) => character.repeat(field.longest));
      return [...cleared, ...same([...TEXTS, ...edges]), ...same(field.blank ? BLANK : [])].filter(
        ([value]) => value === null || Array.from(value as string).length <= field.longest,
      );
    }
    case 'email':
      return [...cleared, ...same(EMAILS)];
    case 'choice':
      return [...cleared, ...same(field.of)];
    case 'whole':
      return same([field.least, field.least + 1, Math.min(2 ** 31, field.most), field.most - 1, field.most]);
    case 'boolean':
      return same([true, false]);
    case 'instant':
      return [...INSTANTS];
    default:
      // What these fields name has to exist: other tests send values that do.
      return cleared;
  }
}

/** Field by field, so that one broken field does not hide another. */
const fields = withBody.flatMap((operation) =>
  Object.entries(operation.body).map(([name, field]) => ({ operation, route: operation.route, name, field })),
);

/** To be valid as a whole, the body may need other values beside this one. */
function bodyWith(sample: Sample, name: string, value: unknown): Record<string, unknown> {
  const body = { ...sample.body, [name]: value };
  if (name === 'weight') body['status'] = 'new';
  if (name === 'type' && value === 'email') body['value'] = 'kari@example.no';
  return body;
}

function shownIn(answer: Answer, name: string): unknown {
  return name === 'text' ? answer.body.data.content.text : answer.body.data[name];
}

describe.each(withBody)('$route', (operation) => {
  test('is refused without its required fields, and names each of them', async () => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const required = Object.keys(operation.body).filter((name) => operation.body[name]!.required);
    const answer = await ask(workspace.client, { ...sample, body: {} });
    expect(answer.status).toBe(required.length > 0 ? 400 : 200);
    expect(fieldsAtFault(answer)).toEqual(required.toSorted());
    for (const missing of required) {
      const { [missing]: _, ...others } = sample.body!;
      const lacking = await ask(workspace.client, { ...sample, body: others });
      expect([lacking.status, lacking.body.code, fieldsAtFault(lacking)]).toEqual([
        400,
        'invalid_request',
        [missing],
      ]);
    }
  });

  test('names all fields that are wrong at once, unknown ones too', async () => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const names = Object.keys(operation.body);
    const wrong = Object.fromEntries(names.map((name) => [name, { not: 'this' }]));
    const answer = await ask(workspace.client, { ...sample, body: { ...wrong, colour: 'red', size: 1 } });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(fieldsAtFault(answer)).toEqual([...names, 'colour', 'size'].toSorted());
  });

  test('is refused with a field that it does not know, and nothing is stored', async () => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const before = await countRows(world, workspace);
    const known = Object.keys(operation.body);
    const strangers = [
      'tenant_id',
      'source',
      'is_deleted',
      'is_archived',
      'created_at',
      'updated_at',
      'Title',
      '',
    ]
      .concat(['constructor', 'toString', 'hasOwnProperty', 'data', 'orgnr', 'completed', 'id'])
      .filter((name) => !known.includes(name));
    for (const stranger of strangers) {
      const answer = await ask(workspace.client, { ...sample, body: { ...sample.body, [stranger]: 'x' } });
      expect([stranger, answer.status, answer.body.code]).toEqual([stranger, 400, 'invalid_request']);
      expect(fieldsAtFault(answer)).toEqual([stranger]);
    }
    const prototype = await workspace.client.send({
      method: sample.method,
      path: sample.path,
      headers: { 'content-type': 'application/json' },
      body: `{"__proto__":{"title":"x"},${JSON.stringify(sample.body).slice(1)}`,
    });
    expect([prototype.status, fieldsAtFault(prototype)]).toEqual([400, ['__proto__']]);
    expect(await countRows(world, workspace)).toBe(before);
  });
});

test.each(fields)('$route refuses what $name cannot hold', async ({ operation, name, field }) => {
  const workspace = await world.workspace();
  const sample = await sampleOf(operation, workspace);
  const read = async () =>
    sample.method === 'PATCH' ? (await workspace.client.get(sample.path)).body : null;
  const before = await read();
  for (const value of refusedBy(field)) {
    const answer = await ask(workspace.client, { ...sample, body: bodyWith(sample, name, value) });
    const told = [value, answer.status, answer.body.code, fieldsAtFault(answer)];
    expect(told).toEqual([value, 400, 'invalid_request', [name]]);
    for (const { message } of answer.body.details) expect(message).not.toBe('');
  }
  expect(await read()).toEqual(before);
});

test.each(fields.filter(({ field }) => takenBy(field).length > 0))(
  '$route shows $name exactly as it was sent',
  async ({ operation, name, field }) => {
    const workspace = await world.workspace();
    const path = await operation.path(workspace);
    const base = await sampleOf(operation, workspace);
    for (const [sent, shown] of takenBy(field)) {
      const identity: Record<string, unknown> = {};
      if (operation.body['id'] || operation.body['orgnr'])
        Object.assign(identity, await operation.sample!(workspace));
      const sample = { ...base, path, body: { ...base.body, ...identity } };
      const answer = await ask(workspace.client, { ...sample, body: bodyWith(sample, name, sent) });
      expect([sent, answer.status]).toEqual([sent, operation.success]);
      expect(shownIn(answer, name)).toEqual(shown);
    }
  },
);

test.each(fields.filter(({ name }) => name === 'id'))(
  '$route takes every id of the UUID form, in any case, and shows it in lower case',
  async ({ operation }) => {
    for (const id of UUIDS) {
      const workspace = await world.workspace();
      const body = { ...(await operation.sample!(workspace)), id: id.toUpperCase() };
      const path = await operation.path(workspace);
      const created = await workspace.client.post(path, body);
      expect([created.status, created.body.data?.id]).toEqual([201, id]);
      const read = await workspace.client.get(`${path}/${id.toUpperCase()}`);
      expect([read.status, read.body]).toEqual([200, created.body]);
      expect((await workspace.client.post(path, { ...body, id })).status).toBe(409);
    }
  },
);

test.each(fields.filter(({ field }) => field.is === 'uuid' && field.names))(
  '$route takes $name in upper case and shows it in lower case',
  async ({ operation, name }) => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const id = String(sample.body![name]);
    const answer = await ask(workspace.client, {
      ...sample,
      body: { ...sample.body, [name]: id.toUpperCase() },
    });
    expect([answer.status, answer.body.data[name]]).toEqual([operation.success, id]);
  },
);
