import { pick } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { found, invalidReference, Problem } from '../http/problem.ts';
import { removeMember, requireOtherOwner } from '../members/remove.ts';
import { roleOf } from '../members/roles.ts';
import { countWork, handOver, handOverLate, NOTHING } from './hand-over.ts';
import { listKeys } from './key-store.ts';
import { requireMember, requireRank, roleNow, toProblem } from './member-endpoints.ts';
import { leavingAnswer, memberParams, removalAnswer, removalBody } from './member-schema.ts';
import { lockMembers, memberOf } from './member-store.ts';

/** The most keys that are shown of somebody who leaves. */
const MAX_KEYS = 100;

export const getLeaving = operation({
  operationId: 'describeRemoval',
  summary: 'What a member would leave behind',
  description: 'Keys that would be revoked, and open work that somebody has to take over.',
  params: memberParams,
  answers: { 200: leavingAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, caller, tenant }) {
    requireRank(roleOf(caller.permissions), (await requireMember(tenant, id)).role);
    const [work, keys] = await Promise.all([
      countWork(tenant, id),
      tenant.rows(listKeys, { user_id: id, is_live: true, limit: MAX_KEYS }),
    ]);
    const shownKeys = keys.map((key) => pick(key, ['id', 'name', 'last_used_at', 'requests_24h']));
    return answer(200, { data: { ...work, keys: shownKeys } });
  },
});

export const postRemoval = operation({
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Their open tasks, open offers and companies go to another member first, each with its entry in the change log; their keys are revoked. All of it or nothing. Work they are given meanwhile follows right after; without `hand_over_to` it goes to the person who removes them. If that alone fails, the answer is 503 although the person is removed.',
  params: memberParams,
  body: removalBody,
  answers: { 200: removalAnswer },
  fails: ['not_found', 'invalid_reference', 'hand_over_first', 'last_owner'],
  unrepeatable: true,
  async handle({ params: { id }, body: { hand_over_to: heir = null }, caller, tenant }) {
    requireRank(roleOf(caller.permissions), (await requireMember(tenant, id)).role);
    if (heir === id) throw noHeir('must be another member');
    const { revoked_keys, ...handed } = await tenant.transaction(async (transaction) => {
      // First, so that concurrent removals take turns.
      await requireOtherOwner(transaction, id).catch(toProblem);
      const locked = await lockAll(transaction, { id, heir, caller: caller.userId });
      requireRank(locked.own, locked.leaving);
      const given =
        heir === null ? await requireNoWork(transaction, id) : await handOver(transaction, id, heir);
      const removed = (await removeMember(transaction, id))!;
      return { ...given, revoked_keys: removed.revoked_keys };
    });
    const to = heir ?? caller.userId;
    // An owner who removes themselves cannot take over.
    const late = to === id ? NOTHING : await handOverLate(tenant, id, to);
    const data = {
      tasks: handed.tasks + late.tasks,
      offers: handed.offers + late.offers,
      companies: handed.companies + late.companies,
      revoked_keys,
    };
    return answer(200, { data });
  },
});

/** The roles, as they are now, of who removes and who leaves. @throws {Problem} not_found, invalid_reference, forbidden */
async function lockAll(
  transaction: Tenant,
  { id, heir, caller }: { id: string; heir: string | null; caller: string },
) {
  const ids = [id, caller, ...(heir === null ? [] : [heir])];
  const find = memberOf(await transaction.rows(lockMembers, { ids }));
  const leaving = found(find(id), `Member ${id}`);
  if (heir !== null && !find(heir)) throw noHeir('is not a user in this workspace');
  return { own: roleNow(find(caller)), leaving: leaving.role };
}

/** @throws {Problem} hand_over_first */
async function requireNoWork(transaction: Tenant, id: string) {
  const { open_tasks, open_offers, companies } = await countWork(transaction, id);
  if (open_tasks + open_offers + companies > 0) {
    throw new Problem(
      'hand_over_first',
      'The member has open tasks, open offers or companies: set hand_over_to to the member who takes them over',
    );
  }
  return NOTHING;
}

function noHeir(message: string): Problem {
  return invalidReference([{ field: 'hand_over_to', message }]);
}
