/** What the service needs of a register of Norwegian units; the sandbox and the national register implement it. */
export type Register = {
  /** As it stands in a sentence after `the`: `national register`, `sandbox register (REGISTER=sandbox)`. */
  readonly title: string;
  /**
   * Looks up a unit by its organisation number, whose check digit the caller has verified.
   * @throws {RegisterUnavailable} when nothing can be concluded about the number
   */
  find(orgnr: string): Promise<RegisterAnswer>;
  /**
   * Finds active units by words of their names and by the leading digits of their numbers, those that fit best first.
   * @throws {RegisterUnavailable}
   */
  search(q: string, limit: number): Promise<Unit[]>;
  /** The state of the register and its mirror. Sends no request to the register. */
  status(): Promise<RegisterStatus>;
};

/** Dates (`on`) are YYYY-MM-DD. */
export type RegisterAnswer =
  /** `asOf` (ISO 8601, microseconds): when it was true; absent where the answer cannot become invalid. */
  | { outcome: 'found'; unit: Unit; asOf?: string }
  | { outcome: 'dissolved'; on: string; unit: DissolvedUnit }
  /** Removed on legal grounds: nothing the register said may be kept. */
  | { outcome: 'removed'; on: string | null }
  | { outcome: 'unknown' };

type RegisterStatus = {
  source: 'sandbox' | 'national';
  facts: Record<string, unknown>;
  /** Metrics, by their names without the prefix `register_`. */
  gauges: Record<string, number>;
};

/** A unit as a company shows it: defaults and length limits are already applied. */
export type Unit = {
  orgnr: string;
  /** At most 255 characters. */
  name: string;
  /** The register's code, for example AS, ENK, SÆR. */
  org_form: string;
  /** YYYY-MM-DD */
  registered_at: string;
  employees: number;
  nace_primary: string;
  email_address: string | null;
  phone_number: string | null;
  mobile_number: string | null;
  website_url: string | null;
};

/** A unit that is dissolved. The register states its number, name and form; a mirror keeps what it had before. */
export type DissolvedUnit = Omit<Unit, 'org_form' | 'registered_at'> & {
  org_form: string | null;
  registered_at: string | null;
};

/** The answer for a dissolved unit for which the register states only these fields. */
export function dissolvedAnswer(
  unit: Pick<DissolvedUnit, 'orgnr' | 'name' | 'org_form'>,
  on: string,
): Extract<RegisterAnswer, { outcome: 'dissolved' }> {
  return { outcome: 'dissolved', on, unit: { ...NOT_STATED, registered_at: null, ...unit } };
}

/** The fields that the register may leave out, each with the value that stands for "not stated". */
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

/** In the order of an answer. An object, so that the compiler names a field of `Unit` that is missing. */
const EVERY_FIELD = {
  orgnr: true,
  name: true,
  org_form: true,
  registered_at: true,
  ...NOT_STATED,
} satisfies Record<keyof Unit, unknown>;
export const UNIT_FIELDS = Object.keys(EVERY_FIELD) as (keyof Unit)[];

/** How many of the units state each optional field. */
export function countStated(units: readonly Unit[]): Record<OptionalField, number> {
  const count = (field: OptionalField) => units.filter((unit) => unit[field] !== NOT_STATED[field]).length;
  return Object.fromEntries(OPTIONAL_FIELDS.map((field) => [field, count(field)])) as never;
}

/** The register keeps main units and branches (sub-units) in separate lists. */
export const KINDS = ['unit', 'branch'] as const;
export type Kind = (typeof KINDS)[number];
export const PLURALS: Record<Kind, string> = { unit: 'units', branch: 'branches' };

/** The organisation forms of branches. */
const BRANCH_FORMS: ReadonlySet<string | null> = new Set(['BEDR', 'AAFY']);

export function kindOf(unit: Unit | DissolvedUnit): Kind {
  return BRANCH_FORMS.has(unit.org_form) ? 'branch' : 'unit';
}

/**
 * What an answer failed on: the register, the record of the unit that was asked for, or the limit on what this process
 * may send.
 */
export type RegisterFault = 'register' | 'unit' | 'limit';

/** The register did not give a usable answer, so nothing may be concluded about the number. */
export class RegisterUnavailable extends Error {
  override readonly name = 'RegisterUnavailable';
  readonly retryAfterSeconds: number;
  readonly fault: RegisterFault;

  constructor(reason: string, retryAfterSeconds: number, options?: ErrorOptions & { fault?: RegisterFault }) {
    super(reason, options);
    this.retryAfterSeconds = retryAfterSeconds;
    this.fault = options?.fault ?? 'register';
  }
}
