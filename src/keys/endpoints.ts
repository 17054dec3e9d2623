import { answer, operation } from '../http/endpoint.ts';
import { accountAnswer } from './schema.ts';

export const getMe = operation({
  operationId: 'getAccount',
  summary: 'Verify the key',
  description: 'Shows the workspace, the member and the permissions of the API key.',
  tag: 'Account',
  outcomes: { 200: 'The account of the key.' },
  answers: { 200: accountAnswer },
  fails: [],
  needsNoDatabase: true,
  async handle({ caller, tenant }) {
    const { userId, permissions } = caller;
    return answer(200, { data: { tenant_id: tenant.id, user_id: userId, permissions } });
  },
});
