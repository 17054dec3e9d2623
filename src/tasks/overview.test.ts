import { describe, expect, test } from 'vitest';
import { holdTable } from '../../test/locks.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { createWorld } from '../../test/world.ts';
import { rangesAt } from './days.ts';

const world = await createWorld();

function starts(now: string, zone: string) {
  const { today, ranges } = rangesAt(Temporal.Instant.from(now), zone);
  return [today, ...ranges.slice(0, -1).map(({ due_before }) => due_before)];
}

describe('days of the zone', () => {
  test('a day begins where the workspace is, and the week ends on Sunday', () => {
    // A Wednesday, 23.30 in Norway.
    expect(starts('2026-01-14T22:30:00Z', 'Europe/Oslo')).toEqual([
      '2026-01-14',
      '2026-01-13T23:00:00.000Z',
      '2026-01-14T23:00:00.000Z',
      '2026-01-15T23:00:00.000Z',
      '2026-01-18T23:00:00.000Z',
    ]);
    expect(starts('2026-01-14T23:30:00Z', 'Europe/Oslo')[0]).toBe('2026-01-15');
    expect(starts('2026-01-14T23:30:00Z', 'America/New_York')[0]).toBe('2026-01-14');
  });

  test('on a Saturday and a Sunday the week does not go on beyond tomorrow', () => {
    for (const [day, after] of [
      ['2026-01-17', '2026-01-18T23:00:00.000Z'],
      ['2026-01-18', '2026-01-19T23:00:00.000Z'],
    ]) {
      const [, , , tomorrowEnds, weekEnds] = starts(`${day}T12:00:00Z`, 'Europe/Oslo');
      expect([tomorrowEnds, weekEnds]).toEqual([after, after]);
    }
  });

  test.each([
    // A Monday and a Friday.
    ['2026-11-23', '2026-11-24T23:00:00.000Z', '2026-11-29T23:00:00.000Z'],
    ['2026-11-27', '2026-11-28T23:00:00.000Z', '2026-11-29T23:00:00.000Z'],
    // A Tuesday, whose week ends in another year, and a Sunday that is the last day of a year.
    ['2026-12-29', '2026-12-30T23:00:00.000Z', '2027-01-03T23:00:00.000Z'],
    ['2028-12-31', '2029-01-01T23:00:00.000Z', '2029-01-01T23:00:00.000Z'],
    // The week in which clocks change.
    ['2026-03-27', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ])('the week of %s goes on after %s until %s', (day, tomorrowEnds, weekEnds) => {
    expect(starts(`${day}T12:00:00Z`, 'Europe/Oslo').slice(3)).toEqual([tomorrowEnds, weekEnds]);
  });

  test('a day is that of the zone on either side of the date line', () => {
    // A Sunday in Greenwich.
    expect(starts('2026-11-22T12:00:00Z', 'Pacific/Auckland').slice(0, 3)).toEqual([
      '2026-11-23',
      '2026-11-22T11:00:00.000Z',
      '2026-11-23T11:00:00.000Z',
    ]);
    expect(starts('2026-11-22T07:00:00Z', 'America/Los_Angeles').slice(0, 3)).toEqual([
      '2026-11-21',
      '2026-11-21T08:00:00.000Z',
      '2026-11-22T08:00:00.000Z',
    ]);
  });

  test('the day on which clocks change has 23 hours', () => {
    expect(starts('2026-03-29T12:00:00Z', 'Europe/Oslo').slice(1, 3)).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
  });
});

/** The zone of new workspaces, or another one while it is about midnight there: no day ends during a test. */
const ZONE = ['Europe/Oslo', 'Asia/Tokyo'].find((timeZone) => {
  const { hour } = Temporal.Now.zonedDateTimeISO(timeZone);
  return hour > 0 && hour < 23;
})!;

/** Noon in that zone, `days` days from today. */
function noonIn(days: number): string {
  return Temporal.Now.plainDateISO(ZONE)
    .add({ days })
    .toZonedDateTime({ timeZone: ZONE, plainTime: '12:00' })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' });
}

test('the day is that of PostgreSQL’s clock, as it is for the next tasks of offers', async () => {
  const browser = await (await world.workspace()).signIn();
  setClockAhead(49);
  const days = async () => {
    const sql = "select to_char(now() at time zone 'Europe/Oslo', 'YYYY-MM-DD') as day";
    return (await world.query(sql))[0].day;
  };
  // The day may end meanwhile.
  const before = await days();
  const { today } = (await browser.get('/tasks/groups')).body.data;
  expect([before, await days()]).toContain(today);
});

test('tasks are counted by group, mine and all, and each range lists what it counts', async () => {
  const workspace = await world.workspace();
  await world.query('update workspaces set time_zone = $1 where id = $2', [ZONE, workspace.id]);
  const browser = await workspace.signIn();
  await workspace.addMember();
  for (const days of [-40, -1, 0, 0, 1, 30]) await workspace.task({ due_date: noonIn(days) });
  await workspace.task({ due_date: noonIn(0), user_id: workspace.member.id });
  const done = await workspace.task({ due_date: noonIn(-3) });
  await workspace.client.patch(`/tasks/${done.id}`, { completed: true });
  await (await world.workspace()).task({ due_date: noonIn(0) });

  const countsOf = async (query: string) => {
    const { body } = await browser.get(`/tasks/groups${query}`);
    return body.data.groups.map(({ group, count }: { group: string; count: number }) => [group, count]);
  };
  const mine = [
    ['overdue', 2],
    ['today', 2],
    ['tomorrow', 1],
    ['week', 0],
    ['later', 1],
    ['done', 1],
  ];
  expect(await countsOf(`?user_id=${workspace.owner.id}`)).toEqual(mine);
  expect(await countsOf('')).toEqual(mine.map(([name, count]) => [name, name === 'today' ? 3 : count]));

  const { groups } = (await browser.get('/tasks/groups')).body.data;
  for (const { due_from, due_before, count } of groups.slice(0, -1)) {
    const range = new URLSearchParams({ completed: 'false', sort: 'due_date' });
    if (due_from) range.set('due_from', due_from);
    if (due_before) range.set('due_before', due_before);
    expect((await browser.get(`/tasks/rows?${range.toString()}`)).body.data).toHaveLength(count);
  }
});

test('counts stop at a thousand', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await world.query(
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
     select $1, gen_random_uuid(), 'Ring', now() - interval '9 days', true, $2 from generate_series(1, 1001)`,
    [workspace.id, workspace.owner.id],
  );
  const { groups } = (await browser.get(`/tasks/groups?user_id=${workspace.owner.id}`)).body.data;
  expect(groups[0]).toMatchObject({ group: 'overdue', count: 1_000, is_capped: true });
});

test('rows show company and person, deleted and gone ones too, and the ETag for If-Match', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const task = await workspace.task({ related_company_id: company.id, user_id: workspace.member.id });
  const own = await workspace.task();
  await workspace.deleteCompany(company.orgnr);
  await workspace.removeMember(workspace.member);

  const { body } = await browser.get('/tasks/rows');
  expect(body.data).toEqual([
    {
      ...task,
      etag: expect.any(String),
      company: {
        id: company.id,
        orgnr: company.orgnr,
        name: company.name,
        is_archived: false,
        is_deleted: true,
      },
      user: { id: workspace.member.id, first_name: 'Kari', last_name: 'Nordmann', is_member: false },
    },
    { ...own, etag: expect.any(String), company: null, user: expect.objectContaining({ first_name: 'Ola' }) },
  ]);
  expect((await browser.get(`/tasks/${task.id}`)).headers.etag).toBe(`"${body.data[0].etag}"`);
});

test('a task that is removed with its person while rows are read is left out', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [gone, stays] = [await workspace.task({ user_id: workspace.member.id }), await workspace.task()];
  // The request waits at `tasks`: `users` is locked after the session was read, and before the names of people are.
  const tasks = await holdTable(world.databaseUrl, 'tasks');
  const reading = browser.get('/tasks/rows');
  await tasks.awaited();
  const people = await holdTable(world.databaseUrl, 'users');
  await tasks.commit();
  await people.awaited();
  for (const statement of [
    `delete from tasks where tenant_id = '${workspace.id}' and id = '${gone.id}'`,
    `delete from memberships where tenant_id = '${workspace.id}' and user_id = '${workspace.member.id}'`,
  ])
    await people.run(statement);
  await people.commit();
  const { data } = (await reading).body;
  expect(data).toEqual([expect.objectContaining({ id: stays.id, user: expect.anything() })]);
});

test('neither keys nor other workspaces see what the application shows', async () => {
  const [workspace, other] = [await world.workspace(), await world.workspace()];
  await workspace.task();
  for (const path of ['/tasks/groups', '/tasks/rows', '/offers/waiting', '/activity', '/demo']) {
    const headers = { authorization: `Bearer ${workspace.client.token}` };
    expect((await world.browser().send({ path, headers })).status).toBe(401);
  }
  const theirs = await other.signIn();
  expect((await theirs.get('/tasks/rows')).body.data).toEqual([]);
  expect((await theirs.get(`/tasks/rows?user_id=${workspace.owner.id}`)).body.data).toEqual([]);
  const { groups } = (await theirs.get(`/tasks/groups?user_id=${workspace.owner.id}`)).body.data;
  expect(groups.every(({ count }: { count: number }) => count === 0)).toBe(true);
});
