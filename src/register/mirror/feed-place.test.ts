import { describe, expect, test } from 'vitest';
import { createMirroredRegister } from '../../../test/mirrored-register.ts';
import { freshOrgnr } from '../../../test/workspace.ts';

const { world, now, sync, mirror, announce, announced } = await createMirroredRegister();

describe('the place where a feed was read last is lost with', () => {
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

function announceAt(dato: string): void {
  now.server.announce({ dato, organisasjonsnummer: freshOrgnr(), endringstype: 'Ukjent' });
}
