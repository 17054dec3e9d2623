import { answer, endpoint } from '../http/endpoint.ts';
import { anyKey } from './permissions.ts';
import { accountAnswer } from './schema.ts';

export const getMe = endpoint({
  route: 'GET /me',
  operationId: 'getAccount',
  summary: 'Verify the key',
  tag: 'Account',
  permission: anyKey,
  answers: { 200: accountAnswer },
  fails: [],
  async handle({ caller, tenant }) {
    const { userId, permissions } = caller;
    return answer(200, { data: { tenant_id: tenant.id, user_id: userId, permissions } });
  },
});
