import type { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { missed } from '../http/conditional.ts';
import { answer, answerOne, noContent, operation } from '../http/endpoint.ts';
import { found, notFound } from '../http/problem.ts';
import type { IfMatch } from './write.ts';

/** The operations that delete and restore a resource, named for example `an Offer`. */
export function deletionOf<Row extends { etag: string }, Shown>(
  named: `${'a' | 'an'} ${Capitalize<string>}`,
  resource: {
    params: z.ZodObject<{ id: z.ZodType<string, string> }>;
    shown: z.ZodType<Shown, { data: Omit<Row, 'etag'> }>;
    find: Statement<{ tenant: string; id: string }, Row>;
    delete: Statement<Change & IfMatch & { id: string }, unknown>;
    restore: Statement<Change & { id: string }, Row>;
  },
) {
  const { params, find } = resource;
  const [, title] = named.split(' ');
  const deleteOne = operation({
    operationId: `delete${title}`,
    summary: `Delete ${named.toLowerCase()}`,
    description: 'It can be restored; its id cannot be used again.',
    params,
    answers: { 204: noContent },
    etag: true,
    fails: ['not_found'],
    async handle({ params: { id }, tenant, match }) {
      if (await tenant.row(resource.delete, { id, if_match: match })) return answer(204, undefined);
      if (await tenant.row(find, { id })) throw missed(match, `${title} ${id}`);
      throw notFound(`${title} ${id}`);
    },
  });
  const restoreOne = operation({
    operationId: `restore${title}`,
    summary: `Restore a deleted ${title!.toLowerCase()}`,
    description: 'It comes back as it was. One that is not deleted stays unchanged.',
    params,
    answers: { 200: resource.shown },
    etag: true,
    fails: ['not_found'],
    async handle({ params: { id }, tenant }) {
      const row = (await tenant.row(resource.restore, { id })) ?? (await tenant.row(find, { id }));
      return answerOne(200, found(row, `${title} ${id}`));
    },
  });
  return { deleteOne, restoreOne };
}
