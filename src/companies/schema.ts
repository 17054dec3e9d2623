import { z } from 'zod';
import { date, emailField, isUuid, text, uuid, uuidField, wholeNumber } from '../http/fields.ts';
import { flag, searchWords, updatedSince, uuidOrNone } from '../http/filters.ts';
import { cursor, page, paging, withCursor } from '../http/paging.ts';
import { userId } from '../members/schema.ts';

const NINE_DIGITS = /^\d{9}$/;

const COMPANY_STATUSES = ['lead', 'prospect', 'customer', 'former_customer', 'disqualified'] as const;

const orgnr = z
  .string({
    error: ({ input }) =>
      typeof input === 'number' ? 'must be a string of nine digits: put it in quotes' : undefined,
  })
  .regex(NINE_DIGITS, { error: ({ input }) => faultOfOrgnr(String(input)) })
  .meta({ description: 'Organisation number.', examples: ['923609016'] });

function faultOfOrgnr(value: string): string {
  if (isUuid(value)) return 'must be an organisation number (nine digits), not an id';
  const digits = orgnrIn(value);
  return digits ? `must be nine digits and nothing else: send ${digits}` : 'must be nine digits';
}

/** The organisation number in the forms that people write: `NO 923 609 016 MVA`. */
export function orgnrIn(value: string): string | undefined {
  const digits = value.slice(0, 40).replaceAll(/[\s.-]|^NO|MVA$/gi, '');
  return NINE_DIGITS.test(digits) ? digits : undefined;
}

/** The id of a company in a body; callers often send the organisation number instead. */
export const companyId = uuidField((value) => {
  const digits = orgnrIn(value);
  return digits && `must be a UUID, not an organisation number: GET /companies/${digits} shows the id`;
});

/** Fields that the register supplies and a caller may override. */
const contactFields = {
  email_address: emailField((value) => (value === '' ? '; send null for none' : '')).nullable(),
  phone_number: text(64).nullable(),
  mobile_number: text(64).nullable(),
  website_url: text(2048).nullable(),
};

/** Fields that the register does not have. */
const ownFields = {
  status: z.enum(COMPANY_STATUSES).meta({ examples: ['customer'] }),
  assigned_to: userId.nullable().meta({ description: 'A workspace user, or null for unassigned.' }),
};

/** Fields that a caller may change. */
const changeable = { ...ownFields, ...contactFields };

export const COMPANY_EXAMPLE = {
  id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
  orgnr: '923609016',
  name: 'EQUINOR ASA',
  status: 'prospect' as const,
  assigned_to: null,
  source: 'api',
  org_form: 'ASA',
  registered_at: '1995-03-12',
  employees: 21272,
  nace_primary: '06.100',
  email_address: null,
  phone_number: '51 99 00 00',
  mobile_number: null,
  website_url: 'www.equinor.com',
  is_archived: false,
  is_deleted: false,
};

export const company = z
  .strictObject({
    id: uuid.meta({ description: 'Id of the company in the workspace, not its organisation number.' }),
    orgnr,
    name: z.string().meta({ examples: ['EQUINOR ASA'] }),
    ...ownFields,
    source: z.string().meta({ examples: ['api'] }),
    org_form: z.string().meta({ examples: ['ASA'] }),
    registered_at: date,
    employees: wholeNumber(0, 2_147_483_647).meta({
      description: '0 where the register withholds the number.',
    }),
    nace_primary: z
      .string()
      .regex(/^\d{2}\.\d{3}$/)
      .meta({ description: '`00.000` where the register states none.', examples: ['06.100'] }),
    ...contactFields,
    // In the register these are free text, so answers have looser types than bodies.
    email_address: z.string().nullable(),
    phone_number: z
      .string()
      .nullable()
      .meta({ examples: ['51 99 00 00'] }),
    mobile_number: z.string().nullable(),
    website_url: z
      .string()
      .nullable()
      .meta({ examples: ['www.equinor.com'] }),
    is_archived: z.boolean(),
    is_deleted: z.boolean(),
  })
  .meta({ id: 'Company', examples: [COMPANY_EXAMPLE] });

export const companyParams = z.strictObject({ orgNr: orgnr });

/** Parameters of the contract: with only these the list answers as in the contract. */
export const COMPANIES_CONTRACT = Object.keys(paging);

export const companiesQuery = withCursor(
  z.strictObject({
    q: searchWords.meta({
      description:
        'Whole words of the name or their beginnings, in any order, without regard to case or accents; or the leading digits of the organisation number.',
    }),
    status: changeable.status.optional().meta({ description: 'Companies of this status.' }),
    assigned_to: uuidOrNone.optional().meta({
      description: 'Companies assigned to this user, or `none` for unassigned ones.',
    }),
    archived: flag.optional().meta({ description: 'Only archived companies, or only others.' }),
    updated_since: updatedSince,
    sort: z.enum(['id', 'name', 'updated_at', '-updated_at']).optional().meta({
      description:
        '`id` when absent; `name` in Norwegian alphabetical order; ties are broken by id. With a `q` of fewer than three characters, or one that more than 10 000 names and numbers match, the order is by `id` instead.',
    }),
    cursor,
    ...paging,
  }),
  COMPANIES_CONTRACT,
);

export const companyCreate = z
  .strictObject({
    ...changeable,
    status: changeable.status.meta({ description: 'When absent: `"prospect"`.' }),
    orgnr,
  })
  .partial()
  .required({ orgnr: true })
  .meta({ id: 'CompanyCreate', examples: [{ orgnr: '923609016', status: 'customer' }] });

export const companyUpdate = z
  .strictObject(changeable)
  .partial()
  .meta({
    id: 'CompanyUpdate',
    examples: [{ status: 'customer', mobile_number: '900 00 000', website_url: null }],
  });

export const companyAnswer = z.strictObject({ data: company });
export const companyAddedAnswer = z.strictObject({ data: company, created: z.boolean() });
export const companiesAnswer = z.strictObject({ data: z.array(company), page });

export type Company = z.output<typeof company>;
export type CompanyCreate = z.output<typeof companyCreate>;
export type CompanyUpdate = z.output<typeof companyUpdate>;
export type ContactField = keyof typeof contactFields;

/** Values of a new company that neither the caller nor the register supplies. */
export const COMPANY_DEFAULTS = { status: 'prospect', assigned_to: null } satisfies Defaults;
type Defaults = Pick<Company, keyof typeof ownFields>;

export const COMPANY_COLUMNS = Object.keys(company.shape) as (keyof Company)[];
/** Fields whose values the change log shows: statuses, flags, numbers and references, never text. */
export const COMPANY_SHOWN = [
  'status',
  'assigned_to',
  'employees',
  'is_archived',
  'is_deleted',
] as const satisfies readonly (keyof Company)[];
export const COMPANY_CHANGEABLE = Object.keys(changeable) as (keyof CompanyUpdate)[];
export const CONTACT_FIELDS = Object.keys(contactFields) as ContactField[];
