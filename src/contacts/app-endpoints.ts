import { z } from 'zod';
import { answer, answerOne, operation } from '../http/endpoint.ts';
import { uuidField } from '../http/fields.ts';
import { invalidRequest } from '../http/problem.ts';
import { merge, previewMerge } from './merge.ts';
import {
  contactAnswer,
  contactParams,
  contactUpdate,
  contactWithParts,
  linksAnswer,
  pointsAnswer,
} from './schema.ts';
import { countContacts } from './store.ts';

const otherId = uuidField().meta({ description: 'The contact that is merged into this one.' });
const seenEtag = z.string().max(64).optional();

const part = z.strictObject({
  ...contactWithParts.shape,
  etag: z
    .string()
    .meta({ description: 'The state that was seen, for `etag` and `other_etag` of the merge.' }),
});
const owned = z.strictObject({ points: pointsAnswer.shape.data, links: linksAnswer.shape.data });
const mergePreview = z.strictObject({
  data: z.strictObject({
    contact: part,
    other: part,
    ...contactUpdate.omit({ name: true }).required().shape,
    moved: owned.meta({ description: 'What the contact gets from the other.' }),
    dropped: owned.meta({ description: 'What the contact already has, so it is not duplicated.' }),
    labels: z.array(z.strictObject({ id: z.int(), label: z.string() })).meta({
      description:
        'Details that stay or move without a label, and get the label of an equal detail that is dropped.',
    }),
    roles: z.array(z.strictObject({ id: z.int(), role: z.string() })).meta({
      description:
        'Links of the contact that have no role, and get that of the other’s link to the same company.',
    }),
  }),
});

export const getMergePreview = operation({
  operationId: 'previewContactMerge',
  summary: 'Preview the merge of two contacts',
  description: 'Nothing changes.',
  params: z.strictObject({ ...contactParams.shape, otherId }),
  answers: { 200: mergePreview },
  fails: ['not_found', 'limit_reached'],
  async handle({ params: { id, otherId }, tenant }) {
    refuseSame(id, otherId, 'otherId');
    const { plan, ...both } = await previewMerge(tenant, { contact: id, other: otherId });
    return answer(200, { data: { ...both, ...plan } });
  },
});

export const mergeContacts = operation({
  operationId: 'mergeContacts',
  summary: 'Merge another contact into this one',
  description:
    'The details and company links of the other contact move to this one, except those that it already has; the notes are joined. The other contact is removed: its id cannot be used again, and reading it is 404 with the id of this one. A merge cannot be undone. `etag` and `other_etag` are the states that were seen; 412 if either contact has changed since.',
  params: contactParams,
  body: z.strictObject({ other_id: otherId, etag: seenEtag, other_etag: seenEtag }),
  answers: { 200: contactAnswer },
  etag: true,
  fails: ['not_found', 'invalid_reference', 'precondition_failed', 'limit_reached'],
  async handle({ params: { id }, body: { other_id, etag, other_etag }, tenant }) {
    refuseSame(id, other_id, 'other_id');
    const merged = await merge(
      tenant,
      { contact: id, other: other_id },
      { contact: etag, other: other_etag },
    );
    return { ...answerOne(200, merged), contact: id };
  },
});

/** Counts stop here: a list shows `10 000+`. */
const MAX_COUNT = 10_000;

export const getContactCount = operation({
  operationId: 'countContacts',
  summary: 'Count contacts',
  description: `Counts to ${MAX_COUNT + 1} at most.`,
  answers: { 200: z.strictObject({ data: z.strictObject({ count: z.int() }) }) },
  fails: [],
  async handle({ tenant }) {
    return answer(200, { data: (await tenant.row(countContacts, { most: MAX_COUNT + 1 }))! });
  },
});

/** @throws {Problem} invalid_request */
function refuseSame(id: string, otherId: string, field: string): void {
  if (id === otherId) throw invalidRequest([{ field, message: 'must not be the contact itself' }]);
}
