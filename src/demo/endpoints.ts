import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { findRun } from './run.ts';
import type { DemoRuns } from './runs.ts';
import { findDemo } from './store.ts';

const demoAnswer = z.strictObject({
  data: z.strictObject({
    state: z.enum(['none', 'adding', 'there', 'removing']),
    is_possible: z
      .boolean()
      .meta({ description: 'Whether demo data can be added: only where there are no companies yet.' }),
  }),
});

export const getDemo = operation({
  operationId: 'getDemo',
  summary: 'Whether the workspace has demo data',
  description: 'A run that failed leaves the state as it was before.',
  answers: { 200: demoAnswer },
  fails: [],
  async handle({ tenant }) {
    return answer(200, { data: await readState(tenant) });
  },
});

export const postDemo = (runs: DemoRuns) =>
  operation({
    operationId: 'addDemo',
    summary: 'Fill an empty workspace with demo data',
    description:
      'Continues after the answer: read the state until it is `there`. Repeating the request meanwhile or afterwards changes nothing.',
    answers: { 202: demoAnswer },
    fails: ['workspace_not_empty'],
    async handle({ tenant }) {
      const now = await readState(tenant);
      if (now.state !== 'none') return answer(202, { data: now });
      if (!now.is_possible) {
        throw new Problem(
          'workspace_not_empty',
          'The workspace has companies: demo data can be added to an empty one only',
        );
      }
      await runs.add(tenant.id);
      return answer(202, { data: await readState(tenant) });
    },
  });

export const deleteDemo = (runs: DemoRuns) =>
  operation({
    operationId: 'removeDemo',
    summary: 'Remove the demo data',
    description:
      'Only that: what people added to it stays, with the companies and contacts that it belongs to. Continues after the answer: read the state until it is `none`.',
    answers: { 202: demoAnswer },
    fails: [],
    async handle({ tenant }) {
      const now = await readState(tenant);
      if (now.state === 'there') await runs.remove(tenant.id);
      return answer(202, { data: await readState(tenant) });
    },
  });

async function readState(tenant: Tenant) {
  const findRunning = async () => (await tenant.row(findRun, {}))!.run;
  const find = async () => (await tenant.row(findDemo, {}))!;
  const before = await findRunning();
  const seen = await find();
  const run = before && (await findRunning());
  // A run that has ended meanwhile may have changed the state after it was read.
  const { is_there, is_empty } = before && !run ? await find() : seen;
  // What a run adds or removes is seen from its commit on, a moment before its locks are gone.
  const isGoing = run === (is_there ? 'removing' : 'adding');
  const state = isGoing ? run : is_there ? ('there' as const) : ('none' as const);
  return { state, is_possible: is_empty && !is_there && !run };
}
