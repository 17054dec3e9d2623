import { answer, operation } from '../http/endpoint.ts';
import { encodeCursor } from '../http/cursor.ts';
import { afterId, cursorKindOf } from '../http/listed.ts';
import { pageOf } from '../http/paging.ts';
import { usersAnswer, usersQuery } from './schema.ts';
import { emailKey, listMembers, listMembersByEmail } from './store.ts';

export const getUsers = operation({
  operationId: 'listUsers',
  summary: 'Find workspace users',
  description:
    'For the UUIDs that `user_id` and `assigned_to` take. Ordered by id; an empty list when nothing matches. To read all users of a large workspace, begin with an empty `cursor` and continue with `page.next_cursor` until it is null.',
  tag: 'Users',
  query: usersQuery,
  outcomes: { 200: 'A page of users; empty when none matches.' },
  answers: { 200: usersAnswer },
  fails: [],
  async handle({ query: { email, limit, offset = 0, cursor }, tenant }) {
    const kind = cursorKindOf(tenant.id, 'users', email);
    const window = { after: afterId(kind, cursor), limit: limit + 1, offset };
    const rows =
      email === undefined
        ? await tenant.rows(listMembers, window)
        : await tenant.rows(listMembersByEmail, { ...window, emailKey: emailKey(email) });
    const { data, page } = pageOf(rows, { limit, offset });
    if (cursor === undefined) return answer(200, { data, page });
    const next_cursor = page.has_more ? encodeCursor(kind, [data.at(-1)!.id]) : null;
    return answer(200, { data, page: { ...page, next_cursor } });
  },
});
