/**
 * What a register of Norwegian units is to this service: two functions, in our own words. An adapter
 * (sandbox, national) returns this shape; nothing above it knows how the register itself speaks.
 */
export type Register = {
  /** As it stands in a sentence: `the national register`, `the sandbox register (REGISTER=sandbox)`. */
  readonly title: string;
  /**
   * Looks one unit up by its nine-digit organisation number (check digit already verified).
   * `deleted`, `removed` and `unknown` are answers; anything that keeps the register from answering is not.
   * @throws {RegisterUnavailable} when the register cannot be asked or does not answer sensibly
   */
  find(orgnr: string): Promise<RegisterAnswer>;
  /** Where answers come from and how the source is doing; never asks the outside. */
  status(): Promise<RegisterStatus>;
};

export type RegisterAnswer =
  | {
      outcome: 'found';
      unit: Unit;
      /** What the register says after this invalidates the answer; absent where nothing can. ISO 8601, microseconds. */
      asOf?: string;
    }
  /** In the register, but dissolved. `on`: YYYY-MM-DD */
  | { outcome: 'deleted'; on: string }
  /** Taken out of the register on legal grounds: no copy may be kept. `on`: YYYY-MM-DD, null where not told */
  | { outcome: 'removed'; on: string | null }
  | { outcome: 'unknown' };

/** A unit's facts as a company shows them (contract, "Company"): defaults and cuts are already applied. */
export type Unit = {
  orgnr: string;
  /** At most 255 characters. */
  name: string;
  /** The register's code, for example AS, ENK, SÆR. */
  org_form: string;
  /** YYYY-MM-DD */
  registered_at: string;
  /** 0 where the register withholds the number. */
  employees: number;
  /** Two digits, a dot, three digits; 00.000 where the register states none. */
  nace_primary: string;
  email_address: string | null;
  phone_number: string | null;
  mobile_number: string | null;
  website_url: string | null;
};

/** In the order in which they are stored. */
export const UNIT_FIELDS = [
  'orgnr',
  'name',
  'org_form',
  'registered_at',
  'employees',
  'nace_primary',
  'email_address',
  'phone_number',
  'mobile_number',
  'website_url',
] as const satisfies readonly (keyof Unit)[];

/** Fields that the register may leave out, with the value that stands for it. */
export const NOT_STATED = {
  employees: 0,
  nace_primary: '00.000',
  email_address: null,
  phone_number: null,
  mobile_number: null,
  website_url: null,
} as const satisfies Partial<Unit>;

export type OptionalField = keyof typeof NOT_STATED;
export const OPTIONAL_FIELDS = Object.keys(NOT_STATED) as OptionalField[];

/** The register keeps main units and branches (sub-units) apart, in lists and feeds of their own. */
export const KINDS = ['unit', 'branch'] as const;
export type Kind = (typeof KINDS)[number];

/** The forms of branches; everything else is a main unit. */
const BRANCH_FORMS: ReadonlySet<string> = new Set(['BEDR', 'AAFY']);

export function kindOf(unit: Unit): Kind {
  return BRANCH_FORMS.has(unit.org_form) ? 'branch' : 'unit';
}

type RegisterStatus = {
  source: 'sandbox' | 'national';
  facts: Record<string, unknown>;
  /** For metrics: `register_` goes before each name; absent ones are not shown. */
  gauges: Record<string, number>;
};

/** The register cannot be asked: nothing is known about the number, so nothing may be concluded. */
export class RegisterUnavailable extends Error {
  readonly retryAfterSeconds: number;

  constructor(reason: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'RegisterUnavailable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The register answers, but what it says of this one unit cannot be used; others may well be. */
export class RecordUnreadable extends RegisterUnavailable {}
