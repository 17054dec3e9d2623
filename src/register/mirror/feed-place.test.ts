import { describe, expect, test } from 'vitest';
import { createMirroredRegister } from '../../../test/mirrored-register.ts';
import { freshOrgnr } from '../../../test/workspace.ts';

const { world, now, sync, mirror, feed, mirrored, announce, announced } = await createMirroredRegister();

describe('a sync fails if the place where a feed was read last is lost because of', () => {
  test('ids that have started over', async () => {
    announce(freshOrgnr(), 'Ukjent');
    await sync();
    await world.query("update register_feeds set last_id = 999999999 where kind = 'unit'");
    const before = await mirror();
    await expect(sync()).rejects.toThrow('it has started over or was cut; import the register again');
    expect((await mirror()).current_at).toEqual(before.current_at);
  });

  test('ids that have started over and passed the place that was read last', async () => {
    const id = announce(freshOrgnr(), 'Ukjent');
    await sync();
    await world.query("update register_feeds set last_at = last_at + interval '1 day' where kind = 'unit'");
    await expect(sync()).rejects.toThrow(`no longer has the entry ${id}`);
    announce(freshOrgnr(), 'Ukjent');
    await expect(sync()).rejects.toThrow(`no longer has the entry ${id}`);
  });

  test('an entry that is gone, where the next one is of an earlier date', async () => {
    const id = announce(freshOrgnr(), 'Ukjent');
    await sync();
    await world.query(
      "update register_feeds set last_id = last_id - 1, last_at = last_at + interval '1 day' where kind = 'unit'",
    );
    await expect(sync()).rejects.toThrow(`no longer has the entry ${id - 1}`);
  });
});

describe('the place where a feed was read last is found again after', () => {
  test('an entry with a date in the future', async () => {
    announceAt('2062-01-01T00:00:00.000Z');
    expect(await sync()).toEqual({ changes: 1 });
    announced(1);
    expect(await sync()).toEqual({ changes: 1 });
  });

  test('an entry whose date has microseconds', async () => {
    announceAt(new Date().toISOString().replace('Z', '600Z'));
    expect(await sync()).toEqual({ changes: 1 });
    expect(await sync()).toEqual({ changes: 0 });
  });
});

describe('a place in a feed whose date is not known, as an earlier release left it,', () => {
  test('gets the date of its entry, so that the feed does not count as silent', async () => {
    const [facts] = announced(1);
    await sync();
    const { last_id, last_at } = await feed();
    await world.query(
      "update register_feeds set last_at = null, since = now() - interval '180 days' where kind = 'unit'",
    );
    expect(await sync()).toEqual({ changes: 1 });
    expect(await feed()).toMatchObject({ last_id, last_at });
    expect(await mirrored(facts!.orgnr)).toMatchObject({ name: facts!.name });
    expect(await sync()).toEqual({ changes: 0 });
    const { facts: status } = await now.register.status();
    expect(String(status['warnings'])).not.toContain('unit');
  });
});

function announceAt(dato: string): void {
  now.server.announce({ dato, organisasjonsnummer: freshOrgnr(), endringstype: 'Ukjent' });
}
