import { answer, operation } from '../http/endpoint.ts';
import { pageOf } from '../http/paging.ts';
import { usersAnswer, usersQuery } from './schema.ts';
import { emailKey, listMembers, listMembersByEmail } from './store.ts';

export const getUsers = operation({
  operationId: 'listUsers',
  summary: 'Find workspace users',
  description:
    'For the UUIDs that `user_id` and `assigned_to` take. Ordered by id; an empty list when nothing matches.',
  tag: 'Users',
  query: usersQuery,
  outcomes: { 200: 'A page of users; empty when none matches.' },
  answers: { 200: usersAnswer },
  fails: [],
  async handle({ query: { email, limit, offset }, tenant }) {
    const window = { limit: limit + 1, offset };
    const rows =
      email === undefined
        ? await tenant.rows(listMembers, window)
        : await tenant.rows(listMembersByEmail, { ...window, emailKey: emailKey(email) });
    return answer(200, pageOf(rows, { limit, offset }));
  },
});
