import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasValidCheckDigit } from '../check-digit.ts';
import { NOT_STATED, RegisterUnavailable, type Unit } from '../register.ts';
import { GENERATED_COUNT, generatedOrgnr } from '../../../test/generated-orgnr.ts';
import { TRAPS } from './traps.ts';
import sandboxUnits from './units.json' with { type: 'json' };
import { sandboxRegister } from './sandbox.ts';

const register = sandboxRegister({ slowAnswerMs: 40 });

async function findUnit(orgnr: string): Promise<Unit> {
  const answer = await register.find(orgnr);
  if (answer.outcome !== 'found') throw new Error(`${orgnr} is ${answer.outcome}`);
  return answer.unit;
}

describe('real companies in the sandbox', () => {
  it('are 51 found and 2 dissolved', () => {
    expect([sandboxUnits.units.length, sandboxUnits.dissolved.length]).toEqual([51, 2]);
  });

  it.each(sandboxUnits.units.map(({ orgnr }) => orgnr))('%s has facts a company can show', async (orgnr) => {
    expect(await findUnit(orgnr)).toEqual(companyFacts(orgnr));
  });

  it('answer with the facts as the register stated them', async () => {
    expect(await findUnit('993467049')).toEqual({
      orgnr: '993467049',
      name: 'OSLO UNIVERSITETSSYKEHUS HF',
      org_form: 'SÆR',
      registered_at: '2009-01-07',
      employees: 26381,
      nace_primary: '86.101',
      email_address: 'post@oslo-universitetssykehus.no',
      phone_number: null,
      mobile_number: '91502770',
      website_url: 'www.oslo-universitetssykehus.no',
    });
  });

  it('have 0 employees where the number is withheld, and telephone numbers as stated', async () => {
    expect((await findUnit('990888213')).employees).toBe(0);
    expect((await findUnit('947942638')).phone_number).toBe('03080');
  });

  it('include dissolved ones, with the date', async () => {
    expect(await register.find('821227062')).toMatchObject({ outcome: 'dissolved', on: '2024-11-26' });
    expect(await register.find('974567989')).toMatchObject({ outcome: 'dissolved', on: '2023-12-30' });
  });
});

describe('trap numbers', () => {
  it('are of the synthetic series and outside the generated block', () => {
    for (const orgnr of TRAPS.keys()) expect(orgnr).toMatch(/^3[^2]\d{7}$/);
  });

  it.each([...TRAPS].filter(([, { outcome }]) => outcome === 'found' || outcome === 'slow'))(
    '%s has facts a company can show',
    async (orgnr) => {
      expect(await findUnit(orgnr)).toEqual(companyFacts(orgnr));
    },
  );

  it('simulate a number that is dissolved, removed with and without a date, and unknown', async () => {
    expect(await register.find('304444444')).toMatchObject({ outcome: 'dissolved', on: '2024-03-09' });
    expect(await register.find('330444444')).toEqual({ outcome: 'removed', on: '2025-05-24' });
    expect(await register.find('346444444')).toEqual({ outcome: 'removed', on: null });
    expect(await register.find('388444444')).toEqual({ outcome: 'unknown' });
  });

  it('simulate an unavailable register', async () => {
    const failure: unknown = await register.find('338555555').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RegisterUnavailable);
    expect(failure).toHaveProperty('retryAfterSeconds', 5);
  });

  it('simulate a register that answers late', async () => {
    const start = performance.now();
    expect((await findUnit('343555555')).name).toBe('SENDREKTIG PRØVE AS');
    expect(performance.now() - start).toBeGreaterThan(35);
  });

  it('simulate missing and odd values of a company', async () => {
    expect((await findUnit('305000000')).employees).toBe(0);
    expect((await findUnit('310000000')).nace_primary).toBe('00.000');
    expect((await findUnit('300999999')).name).toHaveLength(255);
    expect((await findUnit('311777777')).org_form).toBe('BEDR');
    expect(await findUnit('318111111')).toMatchObject({ org_form: 'ENK', employees: 0, email_address: null });
    expect(await findUnit('336222222')).toMatchObject({
      email_address: 'post@rare-kontakter. example',
      phone_number: '03080',
      website_url: 'rare-kontakter.example/om oss',
    });
  });
});

describe('the generated block', () => {
  const index = fc.integer({ min: 0, max: GENERATED_COUNT - 1 });

  it('has a company for every index, the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(index, async (index) => {
        const orgnr = generatedOrgnr(index);
        const unit = await findUnit(orgnr);
        expect(hasValidCheckDigit(orgnr)).toBe(true);
        expect(unit).toEqual(companyFacts(orgnr));
        expect(await sandboxRegister().find(orgnr)).toEqual({ outcome: 'found', unit });
      }),
    );
  });

  it('gives different indexes different numbers with different names', async () => {
    const numbers = Array.from({ length: 5_000 }, (_, index) => generatedOrgnr(index));
    expect(new Set(numbers).size).toBe(5_000);
    const units = await Promise.all(numbers.map(findUnit));
    expect(new Set(units.map(({ name }) => name)).size).toBe(5_000);
  });

  it('ends at GENERATED_COUNT', () => {
    expect(generatedOrgnr(GENERATED_COUNT - 1)).toMatch(/^32\d{7}$/);
    for (const outside of [-1, 0.5, GENERATED_COUNT, Number.NaN]) {
      expect(() => generatedOrgnr(outside)).toThrow(RangeError);
    }
  });
});

describe('the page about the sandbox', () => {
  it('lists every company and every trap', async () => {
    const page = await readFile('docs/sandbox.md', 'utf8');
    const listed = [
      ...TRAPS.keys(),
      ...[...sandboxUnits.units, ...sandboxUnits.dissolved].map(({ orgnr }) => orgnr),
    ];
    expect(listed.filter((orgnr) => !page.includes(`| ${orgnr} |`))).toEqual([]);
  });
});

describe('the sandbox', () => {
  it('does not know any other number', async () => {
    for (const orgnr of ['957485030', '509100675', '433695968', '000000000']) {
      expect(await register.find(orgnr)).toEqual({ outcome: 'unknown' });
    }
  });

  it('says what it is', async () => {
    expect(await register.status()).toEqual({
      source: 'sandbox',
      facts: { real_companies: 51, test_numbers: TRAPS.size },
      gauges: {},
    });
  });
});

/** What the contract asks of any company's register facts. */
function companyFacts(orgnr: string): Unit {
  return {
    ...NOT_STATED,
    orgnr,
    name: expect.stringMatching(/^\S.{0,253}\S$/u),
    org_form: expect.stringMatching(/^\p{Lu}{2,4}$/u),
    registered_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    employees: expect.toSatisfy((count) => Number.isSafeInteger(count) && count >= 0),
    nace_primary: expect.stringMatching(/^\d{2}\.\d{3}$/),
    email_address: expect.toBeOneOf([null, expect.stringMatching(/./)]),
    phone_number: expect.toBeOneOf([null, expect.stringMatching(/./)]),
    mobile_number: expect.toBeOneOf([null, expect.stringMatching(/./)]),
    website_url: expect.toBeOneOf([null, expect.stringMatching(/./)]),
  };
}
