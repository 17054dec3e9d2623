import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAdmission } from '../src/http/admission.ts';
import { answer, endpoint, operation } from '../src/http/endpoint.ts';
import { BASE_PATH, mount } from '../src/http/mount.ts';
import { Problem } from '../src/http/problem.ts';
import { anyKey } from '../src/keys/permissions.ts';
import { createBareApp } from './bare-app.ts';

test('an answer that cannot be written is a defect like any other: 500, and the process lives', async () => {
  const app = createBareApp();
  const unwritable = operation({
    operationId: 'unwritable',
    description: 'Answers with what JSON cannot hold.',
    outcomes: { 200: 'Never.' },
    summary: 'JSON has no form for it',
    tag: 'Test',
    answers: { 200: z.any() },
    fails: [],
    handle: async () => answer(200, { n: 1n }),
  });
  mount(app, BASE_PATH, [endpoint('GET /unwritable', anyKey, unwritable)], {
    credentials: {
      tokenOf: ({ headers }) => headers.authorization,
      unauthorized: () => new Problem('unauthorized', ''),
      recall: () => ({
        kind: 'key',
        id: 'k',
        userId: 'u',
        permissions: 1,
        role: 'owner',
        tenant: { for: () => ({}) } as never,
        isStillGood: async () => true,
      }),
      lookUp: () => 'refused',
      idOf: () => undefined,
    },
    admission: createAdmission({ connections: 10, isBehind: () => false, onShed() {} }),
    limits: undefined,
    repeats: { once: () => Promise.reject(new Error('not asked for')) },
  });
  const headers = { authorization: 'Bearer abc' };
  const { statusCode, body } = await app.inject({ url: '/api/v1/unwritable', headers });
  expect([statusCode, JSON.parse(body).code]).toEqual([500, 'internal_error']);
});
