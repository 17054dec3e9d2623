import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

const MOST = Number.MAX_SAFE_INTEGER;

/** Rounded to whole kroner. */
const weighted = (hundredths: bigint) => String((hundredths + 50n) / 100n);

test('sums are exact beyond what a number holds, by status and by owner', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const most = { one_time_revenue: MOST, recurring_revenue: MOST };
  await workspace.offer({ ...most, weight: 99 });
  await workspace.offer({ ...most, weight: 33, recurring_frequency: 'quarterly' });
  await workspace.offer({
    ...most,
    weight: 1,
    recurring_frequency: 'yearly',
    user_id: workspace.member.id,
  });
  await workspace.offer({ status: 'accepted', one_time_revenue: 7 });
  const old = await workspace.offer({ status: 'rejected', one_time_revenue: 7 });
  await world.query(`update offers set status_since = now() - interval '31 days' where id = $1`, [old.id]);

  const { status, body } = await browser.get('/offers/sums');
  expect(status).toBe(200);
  const most_ = BigInt(MOST);
  const mine = most_ * (13n * 99n + 5n * 33n);
  const theirs = most_ * 2n;
  const { by_status, by_owner, open } = body.data;
  expect(by_status).toEqual([
    {
      status: 'new',
      count: 3,
      one_time: String(most_ * 3n),
      recurring: String(most_ * 17n),
      weighted: weighted(mine + theirs),
    },
    { status: 'sent', count: 0, one_time: '0', recurring: '0', weighted: '0' },
    { status: 'negotiating', count: 0, one_time: '0', recurring: '0', weighted: '0' },
    { status: 'accepted', count: 1, one_time: '7', recurring: '0', weighted: '7' },
    { status: 'rejected', count: 0, one_time: '0', recurring: '0', weighted: '0' },
  ]);
  expect(open).toEqual({ ...by_status[0], status: undefined });
  expect(by_owner).toHaveLength(2);
  const of = (id: string) => by_owner.find(({ owner }: { owner: { id: string } }) => owner.id === id);
  expect(of(workspace.owner.id)).toMatchObject({ count: 2, weighted: weighted(mine) });
  expect(of(workspace.member.id)).toMatchObject({ count: 1, weighted: weighted(theirs) });

  const one = await browser.get(`/offers/sums?user_id=${workspace.member.id}`);
  expect(one.body.data.open).toMatchObject({ count: 1, weighted: weighted(theirs) });
});
