import { z } from 'zod';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { rowId } from '../http/fields.ts';
import { notFound } from '../http/problem.ts';
import { companyParams } from './schema.ts';
import { deleteNote, restoreNote } from './store.ts';
import { noteAnswer } from './timeline-schema.ts';

const noteParams = z.strictObject({ ...companyParams.shape, id: rowId });

export const removeNote = operation({
  operationId: 'deleteNote',
  summary: 'Delete a note',
  description: 'It can be restored.',
  tag: 'Companies',
  params: noteParams,
  outcomes: { 204: 'It is deleted.' },
  answers: { 204: noContent },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr, id }, tenant }) {
    if (!(await tenant.row(deleteNote, { orgnr, id, if_match: null }))) throw notFound(`Note ${id}`);
    return answer(204, undefined);
  },
});

export const bringBackNote = operation({
  operationId: 'restoreNote',
  summary: 'Restore a deleted note',
  description: 'In its place on the timeline.',
  tag: 'Companies',
  params: noteParams,
  outcomes: { 200: 'The note.' },
  answers: { 200: noteAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr, id }, tenant }) {
    const note = await tenant.row(restoreNote, { orgnr, id: String(id) });
    if (!note) throw notFound(`Deleted note ${id}`);
    return answer(200, { data: note });
  },
});
