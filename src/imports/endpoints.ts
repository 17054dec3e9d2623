import { newId } from '../db/new-id.ts';
import { answer, operation } from '../http/endpoint.ts';
import { notFound } from '../http/problem.ts';
import type { Register } from '../register/register.ts';
import { FIELDS, guessColumns, NEEDED } from './fields.ts';
import { checkRows, readIn } from './read-in.ts';
import {
  checkBody,
  guessAnswer,
  guessBody,
  importAnswer,
  importCreate,
  importParams,
  importsAnswer,
  resultsAnswer,
  rowsAnswer,
  rowsBody,
  rowsQuery,
  undoAnswer,
  undoBody,
} from './schema.ts';
import { findImport, insertImport, listImports, listRows } from './store.ts';
import { undoImport } from './undo.ts';

const tag = 'Imports';

export const guessImport = operation({
  operationId: 'guessImport',
  summary: 'Guess what the columns of a file hold',
  description: 'By the header and the first rows. Changes nothing.',
  tag,
  body: guessBody,
  outcomes: { 200: 'The field of each column, null where none fits, and the fields there are.' },
  answers: { 200: guessAnswer },
  fails: [],
  async handle({ body: { resource, rows } }) {
    const columns = guessColumns(resource, rows);
    return answer(200, { data: { columns, fields: FIELDS[resource], needed: NEEDED[resource] } });
  },
});

export const checkImport = (register: Register) =>
  operation({
    operationId: 'checkImport',
    summary: 'Say what would become of rows',
    description: 'Changes nothing.',
    tag,
    body: checkBody,
    outcomes: { 200: 'What would become of each row.' },
    answers: { 200: resultsAnswer },
    fails: ['register_unavailable'],
    async handle({ body, caller: { userId }, tenant, stepAside }) {
      return answer(200, { data: await checkRows({ tenant, userId, register, stepAside }, body) });
    },
  });

export const beginImport = operation({
  operationId: 'beginImport',
  summary: 'Begin an import',
  description: 'Its rows are sent separately.',
  tag,
  body: importCreate,
  outcomes: { 201: 'The import.' },
  answers: { 201: importAnswer },
  fails: [],
  async handle({ body, tenant }) {
    const data = (await tenant.row(insertImport, { id: newId(), ...body }))!;
    return answer(201, { data });
  },
});

export const getImports = operation({
  operationId: 'listImports',
  summary: 'List imports',
  description: 'The last 50, the newest first. They are kept for 90 days.',
  tag,
  outcomes: { 200: 'The imports.' },
  answers: { 200: importsAnswer },
  fails: [],
  async handle({ tenant }) {
    return answer(200, { data: await tenant.rows(listImports, {}) });
  },
});

export const getImport = operation({
  operationId: 'getImport',
  summary: 'Read an import',
  description: 'How far it has come, and what became of its rows.',
  tag,
  params: importParams,
  outcomes: { 200: 'The import.' },
  answers: { 200: importAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const data = await tenant.row(findImport, { id });
    if (!data) throw notFound(`Import ${id}`);
    return answer(200, { data });
  },
});

export const getImportRows = operation({
  operationId: 'listImportRows',
  summary: 'List what became of the rows of an import',
  description: 'In order of their lines. What the file said is not kept.',
  tag,
  params: importParams,
  query: rowsQuery,
  outcomes: { 200: 'A page of rows.' },
  answers: { 200: rowsAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, query: { show = null, after, limit }, tenant }) {
    if (!(await tenant.row(findImport, { id }))) throw notFound(`Import ${id}`);
    const rows = await tenant.rows(listRows, { id, show, after, limit: limit + 1 });
    const data = rows.slice(0, limit);
    return answer(200, { data, next: rows.length > limit ? data.at(-1)!.line : null });
  },
});

export const sendImportRows = (register: Register) =>
  operation({
    operationId: 'sendImportRows',
    summary: 'Read rows in',
    description:
      'Whole or not at all. A batch that is sent again answers what became of its rows the first time.',
    tag,
    params: importParams,
    body: rowsBody,
    outcomes: { 200: 'What became of each row.' },
    answers: { 200: resultsAnswer },
    fails: ['not_found', 'import_undone', 'register_unavailable'],
    async handle({ params: { id }, body: { rows }, caller: { userId }, tenant, stepAside }) {
      return answer(200, { data: await readIn({ tenant, userId, register, stepAside }, id, rows) });
    },
  });

export const undoImportRows = operation({
  operationId: 'undoImport',
  summary: 'Undo an import, some rows at a time',
  description:
    'Repeat it until `remaining` is 0. What was changed since is kept. Within a day after the import began.',
  tag,
  params: importParams,
  body: undoBody,
  outcomes: { 200: 'The import, and how many rows remain.' },
  answers: { 200: undoAnswer },
  fails: ['not_found', 'undo_expired'],
  async handle({ params: { id }, tenant }) {
    return answer(200, await undoImport(tenant, id));
  },
});
