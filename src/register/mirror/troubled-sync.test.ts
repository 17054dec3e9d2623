import { describe, expect, test } from 'vitest';
import { createMirroredRegister, unit } from '../../../test/mirrored-register.ts';
import { failing, saying, type Misbehaviour } from '../../../test/register-misbehaviour.ts';
import { deletedRecordOf } from '../../../test/register-records.ts';
import { freshOrgnr } from '../../../test/workspace.ts';
import type { Unit } from '../register.ts';

const { world, service, now, sync, mirror, feed, aside, mirrored, announce, announced, companyOf } =
  await createMirroredRegister();

const failNumbers = (units: readonly Unit[]) => {
  for (const { orgnr } of units) now.server.misbehave(failing(500), { path: `/enheter/${orgnr}` });
};

/** The metric as it is now, or was up to a quarter of a second ago: callers poll. */
const metric = async (name: string) => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
};

describe('numbers that cannot be looked up', () => {
  test('do not delay the rest of the feed, and are reported', async () => {
    const [stuck, next] = announced(2) as [Unit, Unit];
    failNumbers([stuck]);
    expect(await sync()).toEqual({ changes: 2 });
    expect(await mirrored(next.orgnr)).toBeDefined();
    expect((await mirror()).last_error).toBeNull();
    const { facts } = await service.register.status();
    expect(facts).toMatchObject({
      numbers_set_aside: 1,
      set_aside: [{ orgnr: stuck.orgnr, failures: 1, last_error: 'the register answers 500' }],
    });
    await expect.poll(() => metric('register_numbers_set_aside')).toBe('1');
  });

  test('are tried again with growing pauses, until they answer', async () => {
    const [stuck] = announced(1) as [Unit];
    failNumbers([stuck]);
    await sync();
    const pauses: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      await world.query('update register_set_aside set retry_at = now()');
      await sync();
      const [row] = await world.query(
        'select failures, extract(epoch from retry_at - now())::int as pause from register_set_aside',
      );
      expect(row.failures).toBe(time + 2);
      pauses.push(Math.round(row.pause / 300));
    }
    expect(pauses).toEqual([2, 4, 8]);
    now.server.requests.length = 0;
    await sync();
    expect(now.server.requests.filter(({ path }) => path.includes(stuck.orgnr))).toEqual([]);
    now.server.behave();
    await world.query('update register_set_aside set failures = 30, retry_at = now()');
    await sync();
    expect(await aside()).toEqual([]);
    expect(await mirrored(stuck.orgnr)).toMatchObject({ name: stuck.name });
  });

  test('are not answered from the mirror, which may be wrong about them', async () => {
    const changed = unit();
    await companyOf(changed);
    now.server.hold(deletedRecordOf({ ...changed, on: '2026-11-20' }));
    announce(changed.orgnr, 'Sletting');
    now.server.misbehave(failing(500), { path: `/enheter/${changed.orgnr}` });
    await sync();
    now.server.behave();
    const { client } = await world.workspace(service);
    expect((await client.post('/companies', { orgnr: changed.orgnr })).status).toBe(422);
  });

  test('do not stop the feed when they are one in twenty', async () => {
    const units = announced(300);
    failNumbers(units.filter((_, index) => index % 20 === 7));
    expect(await sync()).toEqual({ changes: 300 });
    expect(await aside()).toHaveLength(15);
    expect((await mirror()).last_error).toBeNull();
  });

  test('are taken for an outage of the register when they are more than one in four', async () => {
    const units = announced(100);
    failNumbers(units.slice(0, 30));
    await expect(sync()).rejects.toThrow('changed units cannot be read, for example');
    expect(await aside()).toEqual([]);
    expect((await feed()).last_id).toBeNull();
  });
});

test('an API that was shut down and answers 410 to everything erases nothing', async () => {
  const kept = unit();
  const company = await companyOf(kept);
  announce(kept.orgnr, 'Endring');
  now.server.misbehave(({ response }) => void response.writeHead(410).end(), { path: 'enheter/' });
  await expect(sync()).rejects.toThrow('check REGISTER_URL');
  expect(await company.read()).toMatchObject({ name: kept.name });
  expect(await mirrored(kept.orgnr)).toMatchObject({ name: kept.name });
});

test('the part of a page that was processed is kept when the register fails halfway through', async () => {
  const units = announced(250);
  now.server.misbehave(
    ({ response, right }) => {
      const lookUps = now.server.requests.filter(({ path }) => path.startsWith('/enheter/')).length;
      if (lookUps > 150) response.destroy();
      else response.writeHead(right.status, right.headers).end(right.body);
    },
    { path: '/enheter/' },
  );
  await expect(sync()).rejects.toThrow('does not answer');
  expect((await feed()).last_id).not.toBeNull();
  now.server.behave();
  now.server.requests.length = 0;
  expect(await sync()).toEqual({ changes: 150 });
  expect(now.server.requests.filter(({ path }) => path === `/enheter/${units[0]!.orgnr}`)).toEqual([]);
});

const page = (fields: object): Misbehaviour => saying(JSON.stringify(fields));

describe('a feed that is silent or changed does not count as current:', () => {
  const entry = { oppdateringsid: 99_999_999, dato: '2026-11-20T05:00:00.000Z', endringstype: 'Ny' };

  test.for<[string, Misbehaviour]>([
    ['an empty object', page({})],
    ['no list where there should be one', page({ page: { totalElements: 3 } })],
    ['a renamed list', page({ _embedded: { oppdateringer: [] }, page: { totalElements: 1 } })],
    ['the list of the other kind', page({ _embedded: { oppdaterteUnderenheter: [] } })],
    ['a renamed field', page({ _embedded: { oppdaterteEnheter: [{ ...entry, orgnr: '310211036' }] } })],
    ['an array', page([])],
  ])('%s', async ([, how]) => {
    const before = await mirror();
    now.server.misbehave(how, { path: '/oppdateringer/enheter' });
    await expect(sync()).rejects.toThrow('the register has changed its format');
    const after = await mirror();
    expect(after.current_at).toEqual(before.current_at);
    expect(after.last_error).toContain('oppdaterteEnheter');
    await expect.poll(() => metric('register_sync_failing')).toBe('1');
    const { facts } = await service.register.status();
    expect(facts.errors).toEqual([expect.stringContaining('the last sync failed: the feed of unit changes')]);
  });

  test('ids that are not in ascending order', async () => {
    const orgnr = freshOrgnr();
    const twice = { ...entry, organisasjonsnummer: orgnr };
    now.server.misbehave(page({ _embedded: { oppdaterteEnheter: [twice, twice] } }), {
      path: '/oppdateringer/enheter',
    });
    await expect(sync()).rejects.toThrow('not in ascending order');
  });

  test('no entry for a day is a warning, once the feed was read', async () => {
    await world.query("update register_feeds set since = now() - interval '25 hours'");
    expect((await service.register.status()).facts.warnings).toEqual([]);
    await sync();
    const { facts } = await service.register.status();
    expect(facts.errors).toEqual([]);
    expect(facts.warnings).toHaveLength(2);
    await expect
      .poll(async () => Number(await metric('register_unit_feed_silent_seconds')))
      .toBeGreaterThanOrEqual(25 * 3_600);
    announce(freshOrgnr(), 'Ukjent');
    await sync();
    expect((await service.register.status()).facts.warnings).toEqual([
      expect.stringContaining('the feed of branch changes has had no entry since'),
    ]);
  });
});

test('metrics of a mirror that was never made have no value', async () => {
  await world.query('truncate register_mirror, register_feeds');
  await expect.poll(() => metric('register_status_read')).toBe('1');
  await expect.poll(() => metric('register_mirror_age_seconds')).toBeUndefined();
  await expect.poll(() => metric('register_sync_failing')).toBeUndefined();
  await world.query(
    "insert into register_mirror (imported_at, current_at) values (now(), now() - interval '1 hour')",
  );
  // One rendering of the metrics serves all scrapes within a quarter of a second.
  await expect.poll(async () => Number(await metric('register_mirror_age_seconds'))).toBeGreaterThan(3_500);
});
