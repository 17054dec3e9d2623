import { z } from 'zod';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { rowId } from '../http/fields.ts';
import { listPage } from '../http/listed.ts';
import { found, notFound } from '../http/problem.ts';
import { companyParams } from './schema.ts';
import { findCompany, insertNote, noteDeletion } from './store.ts';
import { noteList, timelineList } from './timeline-list.ts';
import { noteAnswer, noteCreate, notesAnswer, notesQuery, timelineAnswer } from './timeline-schema.ts';

export const postNote = operation({
  operationId: 'addCompanyNote',
  summary: 'Add a note to the company timeline',
  description:
    'Plain text, attributed to the creator of the API key. Every successful request adds a note: after a timeout, repeat it with the same `Idempotency-Key`, or check `GET /companies/{orgNr}/timeline` first.',
  tag: 'Companies',
  params: companyParams,
  body: noteCreate,
  outcomes: { 201: 'The note was added.' },
  answers: { 201: noteAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr }, body: { text }, tenant }) {
    const note = found(await tenant.row(insertNote, { orgnr, text }), `Company ${orgnr}`);
    return answer(201, { data: note });
  },
});

export const getTimeline = operation({
  operationId: 'listCompanyTimeline',
  summary: 'Read the timeline of a company',
  description:
    'Notes and what happened to the company, the newest (the largest `id`) first: created, archived, deleted and restored, another status or assignee, changes in the register. If adding a note timed out, the first page shows whether the note was added. Continue with `cursor` while `page.next_cursor` is not null.',
  tag: 'Companies',
  params: companyParams,
  query: notesQuery,
  outcomes: { 200: 'A page of entries.' },
  answers: { 200: timelineAnswer },
  fails: ['not_found'],
  addition: true,
  async handle({ params: { orgNr: orgnr }, query, tenant, caller }) {
    const company = await tenant.row(findCompany, { orgnr });
    if (!company || (company.is_deleted && caller.kind === 'key')) throw notFound(`Company ${orgnr}`);
    return answer(200, await listPage(timelineList, tenant, query, { company: company.id }));
  },
});

export const getNotes = operation({
  operationId: 'listNotes',
  summary: 'List the notes of all companies',
  description:
    'In order of id, those of deleted companies included; `company_id` is the `id` of the company. Continue with `cursor` while `page.next_cursor` is not null.',
  tag: 'Companies',
  query: notesQuery,
  elsewhere: { company_id: 'read those of one with GET /companies/{orgNr}/timeline' },
  outcomes: { 200: 'A page of notes; empty when there are none.' },
  answers: { 200: notesAnswer },
  fails: [],
  addition: true,
  async handle({ query, tenant }) {
    return answer(200, await listPage(noteList, tenant, query));
  },
});

const noteParams = z.strictObject({ ...companyParams.shape, id: rowId });

export const deleteNote = operation({
  operationId: 'deleteNote',
  summary: 'Delete a note',
  description: 'It can be restored.',
  params: noteParams,
  answers: { 204: noContent },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr, id }, tenant }) {
    if (!(await tenant.row(noteDeletion.delete, { orgnr, id, if_match: null }))) throw notFound(`Note ${id}`);
    return answer(204, undefined);
  },
});

export const restoreNote = operation({
  operationId: 'restoreNote',
  summary: 'Restore a deleted note',
  description: 'It returns to its place on the timeline.',
  params: noteParams,
  answers: { 200: noteAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr, id }, tenant }) {
    const note = found(
      await tenant.row(noteDeletion.restore, { orgnr, id: String(id) }),
      `Deleted note ${id}`,
    );
    return answer(200, { data: note });
  },
});
