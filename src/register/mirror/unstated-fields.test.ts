import { describe, expect, test } from 'vitest';
import { createMirroredRegister } from '../../../test/mirrored-register.ts';
import { recordOf } from '../../../test/register-records.ts';

const { now, sync, announce, announced, companyOf } = await createMirroredRegister();

describe('a field that changed units no longer state', () => {
  test.for([
    ['employees', 'antallAnsatte'],
    ['nace_primary', 'naeringskode1'],
    ['email_address', 'epostadresse'],
    ['phone_number', 'telefon'],
    ['mobile_number', 'mobil'],
    ['website_url', 'hjemmeside'],
  ] as const)('stops the sync with an error naming it; no company loses it: %s', async ([field, name]) => {
    const units = announced(12, { mobile_number: '900 00 000' });
    await sync();
    const company = await companyOf(units[0]!);
    const before = await company.read();
    for (const each of units) {
      const { [name]: value, ...rest } = recordOf(each);
      now.server.hold({
        ...rest,
        organisasjonsnummer: each.orgnr,
        organisasjonsform: { kode: 'AS' },
        renamed: value,
      });
      announce(each.orgnr, 'Endring');
    }
    await expect(sync()).rejects.toThrow(
      `${field} is stated by 0 of the 12 changed units that stated it before`,
    );
    expect(await company.read()).toEqual(before);
  });

  test('is noticed over many small syncs, too', async () => {
    const units = announced(30);
    await sync();
    for (const each of units.slice(0, 9)) {
      now.server.hold(recordOf({ ...each, phone_number: null }));
      announce(each.orgnr, 'Endring');
      await sync();
    }
    now.server.hold(recordOf({ ...units[9]!, phone_number: null }));
    announce(units[9]!.orgnr, 'Endring');
    await expect(sync()).rejects.toThrow('phone_number is stated by 0 of the 10 changed units');
  });

  test('is counted in whole units once many changes have been counted', async () => {
    const units = announced(201);
    await sync();
    for (const each of units) announce(each.orgnr, 'Endring');
    await sync();
    for (const each of units.slice(0, 120)) {
      now.server.hold(recordOf({ ...each, phone_number: null }));
      announce(each.orgnr, 'Endring');
    }
    await expect(sync()).rejects.toThrow(/^phone_number is stated by \d+ of the \d+ changed units/);
  });

  test('may be missing in a third of them', async () => {
    const units = announced(30);
    await sync();
    units.forEach((each, index) => {
      now.server.hold(recordOf({ ...each, phone_number: index % 3 === 0 ? null : each.phone_number }));
      announce(each.orgnr, 'Endring');
    });
    expect(await sync()).toEqual({ changes: 30 });
  });
});
