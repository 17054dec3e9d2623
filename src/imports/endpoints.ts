import { newId } from '../db/new-id.ts';
import { answer, operation } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import type { Register } from '../register/register.ts';
import { FIELDS, guessColumns, NEEDED } from './fields.ts';
import { checkRows, importRows } from './import-rows.ts';
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

export const guessImport = operation({
  operationId: 'guessImport',
  summary: 'Guess the fields of the columns of a file',
  description: 'From the header and the first rows. Changes nothing.',
  body: guessBody,
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
    summary: 'Check rows before an import',
    description: 'Returns the result that each row would have. Changes nothing.',
    body: checkBody,
    answers: { 200: resultsAnswer },
    fails: ['register_unavailable'],
    async handle({ body, caller: { userId }, tenant, waitAside }) {
      return answer(200, { data: await checkRows({ tenant, userId, register, waitAside }, body) });
    },
  });

export const beginImport = operation({
  operationId: 'beginImport',
  summary: 'Begin an import',
  description: 'Its rows are sent separately.',
  body: importCreate,
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
  answers: { 200: importsAnswer },
  fails: [],
  async handle({ tenant }) {
    return answer(200, { data: await tenant.rows(listImports, {}) });
  },
});

export const getImport = operation({
  operationId: 'getImport',
  summary: 'Read an import',
  description: 'Its progress, and how many of its rows have each result.',
  params: importParams,
  answers: { 200: importAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answer(200, { data: found(await tenant.row(findImport, { id }), `Import ${id}`) });
  },
});

export const getImportRows = operation({
  operationId: 'listImportRows',
  summary: 'List the rows of an import',
  description: 'With their results, in order of their lines. The content of the file is not stored.',
  params: importParams,
  query: rowsQuery,
  answers: { 200: rowsAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, query: { show = null, after, limit }, tenant }) {
    found(await tenant.row(findImport, { id }), `Import ${id}`);
    const rows = await tenant.rows(listRows, { id, show, after, limit: limit + 1 });
    const data = rows.slice(0, limit);
    return answer(200, { data, next: rows.length > limit ? data.at(-1)!.line : null });
  },
});

export const sendImportRows = (register: Register) =>
  operation({
    operationId: 'sendImportRows',
    summary: 'Import rows',
    description:
      'A request that fails imports none of them. A batch that is sent again gets the results of the first request.',
    params: importParams,
    body: rowsBody,
    answers: { 200: resultsAnswer },
    fails: ['not_found', 'import_undone', 'register_unavailable'],
    async handle({ params: { id }, body: { rows }, caller: { userId }, tenant, waitAside }) {
      return answer(200, { data: await importRows({ tenant, userId, register, waitAside }, id, rows) });
    },
  });

export const undoImportRows = operation({
  operationId: 'undoImport',
  summary: 'Undo an import, some rows at a time',
  description:
    'Repeat it until `remaining` is 0. Resources that were changed since are kept. Possible for a day after the import began.',
  params: importParams,
  body: undoBody,
  answers: { 200: undoAnswer },
  fails: ['not_found', 'undo_expired'],
  unrepeatable: true,
  async handle({ params: { id }, tenant }) {
    return answer(200, await undoImport(tenant, id));
  },
});
