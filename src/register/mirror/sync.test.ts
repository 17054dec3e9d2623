import { describe, expect, test, vi } from 'vitest';
import { createMirroredRegister, unit } from '../../../test/mirrored-register.ts';
import { failing, holding, html, lying, saying } from '../../../test/register-misbehaviour.ts';
import { recordOf } from '../../../test/register-records.ts';
import { freshOrgnr } from '../../../test/workspace.ts';
import { KNOWN_ORGNR } from '../national/client.ts';
import { followFeeds } from './follow.ts';

const { world, now, sync, mirror, feed, mirrored, announce, companyOf } = await createMirroredRegister();

describe('a sync', () => {
  test('does nothing without a mirror', async () => {
    await world.query('truncate register_mirror');
    announce(freshOrgnr(), 'Ny');
    expect(await sync()).toBeUndefined();
    expect(now.server.requests).toEqual([]);
  });

  test('reads each changed unit again and keeps it, from both feeds', async () => {
    const young = unit();
    const branch = unit({ org_form: 'BEDR' });
    now.server.hold(recordOf(young), recordOf(branch));
    announce(young.orgnr, 'Ny');
    announce(young.orgnr, 'Endring');
    announce(branch.orgnr, 'Ny', 'underenheter');
    expect(await sync()).toEqual({ changes: 3 });
    expect(await mirrored(young.orgnr)).toMatchObject({ name: 'PRØVE AS', is_branch: false });
    expect(await mirrored(branch.orgnr)).toMatchObject({ is_branch: true });
    const lookUps = now.server.requests.filter(({ path }) => path === `/enheter/${young.orgnr}`);
    expect(lookUps).toHaveLength(1);
  });

  test('goes on after the last entry it has seen', async () => {
    const last = announce(freshOrgnr(), 'Ukjent');
    await sync();
    now.server.requests.length = 0;
    expect(await sync()).toEqual({ changes: 0 });
    expect(now.server.requests.map(({ path }) => path)).toContain(
      `/oppdateringer/enheter?size=1000&oppdateringsid=${last + 1}`,
    );
  });

  test('walks a feed of several pages', async () => {
    const units = Array.from({ length: 1_001 }, () => unit());
    now.server.hold(...units.map((each) => recordOf(each)));
    for (const each of units) announce(each.orgnr, 'Ny');
    expect(await sync()).toEqual({ changes: 1_001 });
    expect((await world.query('select count(*)::int as n from register_units'))[0]).toEqual({ n: 1_001 });
  });

  test('makes the mirror count as current again', async () => {
    await world.query(
      "update register_mirror set current_at = now() - interval '9 days', last_error = 'old'",
    );
    await sync();
    const state = await mirror();
    expect(Date.now() - state.current_at.getTime()).toBeLessThan(60_000);
    expect(state.last_error).toBeNull();
  });

  test('corrects a time in the future, from a clock that was set back since', async () => {
    await world.query("update register_mirror set current_at = now() + interval '9 days'");
    await sync();
    expect(Date.now() - (await mirror()).current_at.getTime()).toBeGreaterThan(0);
  });

  test('erases what was removed on legal grounds, without asking for it', async () => {
    const gone = unit();
    await companyOf(gone);
    now.server.requests.length = 0;
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect(await mirrored(gone.orgnr)).toBeUndefined();
    expect(now.server.requests.filter(({ path }) => path.includes(gone.orgnr))).toEqual([]);
  });

  test('stops when the register becomes unavailable, and later goes on without a gap', async () => {
    const first = unit();
    now.server.hold(recordOf(first));
    announce(first.orgnr, 'Ny');
    now.server.misbehave(failing(500), { path: '/enheter/' });
    await expect(sync()).rejects.toThrow('the register answers 500');
    expect((await mirror()).last_error).toBe('the register answers 500');
    expect((await feed()).last_id).toBeNull();
    now.server.behave();
    expect(await sync()).toEqual({ changes: 1 });
    expect(await mirrored(first.orgnr)).toMatchObject({ name: 'PRØVE AS' });
    expect((await mirror()).last_error).toBeNull();
  });

  test('refuses a feed that answers with an error, and goes on from where it was', async () => {
    const id = announce(freshOrgnr(), 'Ny');
    now.server.misbehave(failing(400), { path: '/oppdateringer/enheter' });
    await expect(sync()).rejects.toThrow('the feed of unit changes answers 400');
    now.server.behave();
    await sync();
    expect((await feed()).last_id).toBe(String(id));
  });

  test('starts over with a mirror that was imported while it read a page', async () => {
    const removed = unit();
    now.server.hold(recordOf(removed));
    announce(removed.orgnr, 'Ny');
    await sync();
    const young = unit();
    now.server.hold(recordOf(young));
    announce(removed.orgnr, 'Fjernet');
    announce(young.orgnr, 'Ny');
    const late = holding();
    now.server.misbehave(late.how, { path: `/enheter/${young.orgnr}`, times: 1 });
    const syncing = sync();
    await expect.poll(() => late.arrived()).toBe(1);
    // What an import does to the place in the feed.
    await world.query(
      "update register_feeds set last_id = null, last_at = null, since = now() - interval '2 days' where kind = 'unit'",
    );
    late.release();
    expect(await syncing).toEqual({ changes: 3 });
    expect(await mirrored(removed.orgnr)).toBeUndefined();
    expect(await mirrored(young.orgnr)).toMatchObject({ name: 'PRØVE AS' });
  });

  test('brings companies in line with an import that was cut off before it updated them', async () => {
    const old = unit();
    const company = await companyOf(old);
    await world.query("update register_units set name = 'FRA IMPORTEN AS' where orgnr = $1", [old.orgnr]);
    await world.query('update register_mirror set companies_refreshed = false');
    await sync();
    expect(await company.read()).toMatchObject({ name: 'FRA IMPORTEN AS' });
    expect((await mirror()).companies_refreshed).toBe(true);
  });

  test('sets one record aside that cannot be used', async () => {
    const [odd, good] = [unit(), unit()];
    now.server.hold(recordOf(good));
    const { registreringsdatoEnhetsregisteret: _, ...unusable } = recordOf(odd);
    now.server.hold(unusable);
    announce(odd.orgnr, 'Ny');
    announce(good.orgnr, 'Ny');
    expect(await sync()).toEqual({ changes: 2 });
    expect(await mirrored(odd.orgnr)).toBeUndefined();
    expect(await mirrored(good.orgnr)).toMatchObject({ name: 'PRØVE AS' });
  });

  test.for([
    ['404 with a page', html(404)],
    ['an empty object', saying('{}')],
    ['another unit', lying('310211036')],
  ] as const)('skips nothing while every look-up is answered by %s', async ([, how]) => {
    const young = unit();
    now.server.hold(recordOf(young));
    announce(young.orgnr, 'Ny');
    now.server.misbehave(how, { path: 'enheter/' });
    await expect(sync()).rejects.toThrow();
    expect((await feed()).last_id).toBeNull();
    now.server.behave();
    await sync();
    expect(await mirrored(young.orgnr)).toMatchObject({ name: 'PRØVE AS' });
  });

  test('skips nothing when many records of a page cannot be used', async () => {
    const units = [unit(), unit(), unit()];
    for (const each of units) {
      const { registreringsdatoEnhetsregisteret: _, ...unusable } = recordOf(each);
      now.server.hold(unusable);
      announce(each.orgnr, 'Ny');
    }
    await expect(sync()).rejects.toThrow('3 of 3 changed units cannot be read');
    expect((await feed()).last_id).toBeNull();
  });

  test('keeps a unit whose contact field PostgreSQL could not hold, without that field', async () => {
    const odd = unit({ phone_number: '\ud800' });
    now.server.hold(recordOf(odd));
    announce(odd.orgnr, 'Ny');
    await sync();
    expect(await mirrored(odd.orgnr)).toMatchObject({
      phone_number: null,
      email_address: 'post@prove.example',
    });
  });

  test('starts no further look-up once the service is stopping', async () => {
    for (let n = 0; n < 50; n++) {
      const each = unit();
      now.server.hold(recordOf(each));
      announce(each.orgnr, 'Ny');
    }
    const late = holding();
    now.server.misbehave(late.how, { path: '/enheter/3' });
    const errors: unknown[] = [];
    const loop = followFeeds(world.databaseUrl, {
      ...now.options,
      intervalMs: 20,
      onError: (error) => errors.push(error),
    });
    await expect.poll(() => late.arrived()).toBe(4);
    const stopped = loop.stop();
    late.release();
    await stopped;
    expect(late.arrived()).toBe(4);
    expect(errors).toEqual([]);
  });

  test('stops while a feed does not answer', async () => {
    const arrived = Promise.withResolvers<void>();
    now.server.misbehave(() => arrived.resolve(), { path: '/oppdateringer/' });
    using timeout = vi.spyOn(AbortSignal, 'timeout');
    timeout.mockReturnValue(new AbortController().signal);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const loop = followFeeds(world.databaseUrl, { ...now.options, intervalMs: 20, onError });
    await arrived.promise;
    await loop.stop();
    expect(errors).toEqual([]);
  });

  test('is done by one process at a time', async () => {
    for (let n = 0; n < 20; n++) announce(freshOrgnr(), 'Ny');
    const results = await Promise.allSettled([sync(), sync(), sync()]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.message).toContain('another process');
    }
    const asked = now.server.requests
      .filter(({ path }) => /^\/enheter\/\d/.test(path) && !path.endsWith(KNOWN_ORGNR))
      .map(({ path }) => path);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('runs by itself in the service while there is a mirror', async () => {
    const young = unit();
    now.server.hold(recordOf(young));
    announce(young.orgnr, 'Ny');
    const errors: unknown[] = [];
    const loop = followFeeds(world.databaseUrl, {
      ...now.options,
      intervalMs: 20,
      onError: (e) => errors.push(e),
    });
    await expect.poll(() => mirrored(young.orgnr)).toMatchObject({ name: 'PRØVE AS' });
    await loop.stop();
    expect(errors).toEqual([]);
  });
});
