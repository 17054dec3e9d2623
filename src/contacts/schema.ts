import { z } from 'zod';
import { companyId } from '../companies/schema.ts';
import { emailFilter, searchWords, updatedSince } from '../http/filters.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';
import { email, requiredText, rowId, suppliedId, text, timestamp, uuid } from '../http/fields.ts';
import { breaks } from '../http/rule.ts';

const POINT_TYPES = ['email', 'mobile', 'telephone', 'other'] as const;

/** The most characters of notes. */
export const CONTACT_NOTES_LIMIT = 20_000;

const EXAMPLE = {
  id: '018f3a53-2b6e-7f31-8c55-0c1d2e3f4a5b',
  name: 'Kari Nordmann',
  notes: '',
  created_at: '2026-01-15T09:00:00.000Z',
};
const POINT_EXAMPLE = { id: 17, type: 'email', label: '', value: 'kari@example.no' } as const;

/** Fields that a caller may change. */
const changeable = {
  name: requiredText(255).meta({ description: 'Not a unique identifier.', examples: [EXAMPLE.name] }),
  notes: text(CONTACT_NOTES_LIMIT).meta({ description: 'The empty string clears it.' }),
};

const contact = z
  .strictObject({ id: uuid, ...changeable, name: z.string(), notes: z.string(), created_at: timestamp })
  .meta({ id: 'Contact', examples: [EXAMPLE] });

export const contactCreate = z
  .strictObject({
    id: suppliedId,
    ...changeable,
    notes: changeable.notes.default(''),
  })
  .meta({ id: 'ContactCreate', examples: [{ id: EXAMPLE.id, name: EXAMPLE.name }] });

export const contactUpdate = z
  .strictObject(changeable)
  .partial()
  .meta({ id: 'ContactUpdate', examples: [{ notes: 'Foretrekker e-post.' }] });

export const contactParams = z.strictObject({ id: uuid.meta({ description: 'Id of the contact.' }) });
export const contactAnswer = z.strictObject({ data: contact });

const point = z
  .strictObject({
    id: z.int(),
    type: z.enum(POINT_TYPES),
    label: z.string().meta({ description: 'The empty string when none was given.' }),
    value: z.string().meta({ examples: [POINT_EXAMPLE.value] }),
  })
  .meta({ id: 'ContactPoint', examples: [POINT_EXAMPLE] });

/** Rules between fields are checked even if another field is invalid, so that all errors are reported at once. */
const always = () => true;

/** Non-strings already fail the type check; an absent label is blank. */
function isLabelled(label: unknown): boolean {
  return typeof label === 'string' ? label.trim() !== '' : label !== undefined;
}

const pointFields = {
  type: z.enum(POINT_TYPES),
  value: requiredText(255).meta({ description: 'A valid email address for type `email`.' }),
  label: text(255).meta({ description: 'Must not be empty for type `other`.' }),
};

/** @param isWhole whether an absent field has no value, rather than an unchanged one */
function withRules<S extends z.ZodType<{ type?: unknown; value?: unknown; label?: unknown }>>(
  schema: S,
  { isWhole }: { isWhole: boolean },
): S {
  return schema
    .refine(
      ({ type, value }) => type !== 'email' || typeof value !== 'string' || email.safeParse(value).success,
      {
        path: ['value'],
        ...breaks('email', 'must be a valid email address of at most 254 characters'),
        when: always,
      },
    )
    .refine(({ type, label }) => type !== 'other' || isLabelled(label) || (label === undefined && !isWhole), {
      path: ['label'],
      ...breaks('required', 'must not be blank when type is other'),
      when: always,
    });
}

export const pointCreate = withRules(
  z.strictObject({ ...pointFields, label: pointFields.label.default('') }),
  { isWhole: true },
).meta({
  id: 'ContactPointCreate',
  examples: [{ type: POINT_EXAMPLE.type, value: POINT_EXAMPLE.value }],
});

/** What the detail becomes is checked by `pointCreate`. */
export const pointUpdate = withRules(z.strictObject(pointFields).partial(), { isWhole: false }).meta({
  id: 'ContactPointUpdate',
  examples: [{ value: 'kari@example.com' }],
});

export const pointParams = z.strictObject({
  id: contactParams.shape.id,
  pointId: rowId.meta({ description: 'Id of the contact detail.' }),
});

export const pointAnswer = z.strictObject({ data: point });
export const pointsAnswer = z.strictObject({ data: z.array(point) });

const link = z
  .strictObject({
    id: z.int(),
    company_id: uuid.meta({ description: 'Id of the company, not its organisation number.' }),
    role: z
      .string()
      .nullable()
      .meta({ examples: ['Daglig leder'] }),
  })
  .meta({
    id: 'ContactCompany',
    examples: [{ id: 4, company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10', role: 'Daglig leder' }],
  });

const linkFields = {
  company_id: companyId.meta({ description: 'Id of the company, not its organisation number.' }),
  role: text(255).nullable().meta({ description: 'Role of the contact at the company.' }),
};

export const linkCreate = z.strictObject({ ...linkFields, role: linkFields.role.default(null) }).meta({
  id: 'ContactCompanyCreate',
  examples: [{ company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10', role: 'Daglig leder' }],
});

export const linkUpdate = z
  .strictObject(linkFields)
  .partial()
  .meta({ id: 'ContactCompanyUpdate', examples: [{ role: 'Styreleder' }] });

export const linkParams = z.strictObject({
  id: contactParams.shape.id,
  linkId: rowId.meta({ description: 'Id of the company link.' }),
});

export const linkAnswer = z.strictObject({ data: link });
export const linksAnswer = z.strictObject({ data: z.array(link) });

/** A contact with its details and links. */
export const contactWithParts = z.strictObject({
  ...contact.shape,
  points: z.array(point),
  links: z.array(link),
});

const listed = z
  .strictObject({
    ...contact.shape,
    points: z.array(point).optional().meta({ description: 'Its details, where `include` asks for them.' }),
    links: z
      .array(link)
      .optional()
      .meta({ description: 'The companies it is linked to, where `include` asks for them.' }),
  })
  .meta({ id: 'ContactListed', examples: [{ ...EXAMPLE, points: [POINT_EXAMPLE] }] });

/** The most details and links on a page, not counting those of its first contact. */
export const MAX_INCLUDED = 2_000;

export const contactsQuery = z.strictObject({
  q: searchWords.meta({
    description:
      'Whole words of the name or their beginnings, in any order, without regard to case or accents; the start of an email address; or the leading digits of a telephone number, with or without +47.',
  }),
  email: emailFilter.meta({
    description: 'Contacts with a detail of type `email` that is this address, regardless of case.',
  }),
  company_id: companyId.optional().meta({ description: 'Contacts linked to the company with this id.' }),
  include: z
    .enum(['points', 'links', 'points,links'])
    .optional()
    .meta({
      description: `Details and links to show with each contact. A page ends before \`limit\` where its contacts have more than ${MAX_INCLUDED} of these together; the first contact is always complete.`,
    }),
  updated_since: updatedSince,
  sort: z.enum(['id', 'name', 'updated_at', '-updated_at']).optional().meta({
    description:
      '`id` when absent; `name` in Norwegian alphabetical order; ties are broken by id. With a `q` of fewer than three characters, or one that more than 10 000 names, addresses and numbers match, the order is by `id` instead.',
  }),
  ...cursorPaging,
});
export const contactsAnswer = z.strictObject({ data: z.array(listed), page: cursorPage });

const row = z.strictObject({ ...listed.shape, updated_at: timestamp });
export const contactRowsAnswer = z.strictObject({ data: z.array(row), page: cursorPage });

export type Contact = z.output<typeof contact>;
export type ContactCreate = z.output<typeof contactCreate>;
export type ContactUpdate = z.output<typeof contactUpdate>;
export type Point = z.output<typeof point>;
export type PointCreate = z.output<typeof pointCreate>;
export type PointUpdate = z.output<typeof pointUpdate>;
export type Link = z.output<typeof link>;
export type LinkUpdate = z.output<typeof linkUpdate>;
export type LinkCreate = z.output<typeof linkCreate>;

export const CONTACT_COLUMNS = Object.keys(contact.shape) as (keyof Contact)[];
export const CONTACT_CREATED = Object.keys(contactCreate.shape) as (keyof ContactCreate)[];
export const CONTACT_CHANGEABLE = Object.keys(changeable) as (keyof ContactUpdate)[];
export const POINT_COLUMNS = Object.keys(point.shape) as (keyof Point)[];
export const POINT_CREATED = Object.keys(pointCreate.shape) as (keyof PointCreate)[];
export const LINK_COLUMNS = Object.keys(link.shape) as (keyof Link)[];
export const LINK_CREATED = Object.keys(linkCreate.shape) as (keyof LinkCreate)[];
export const POINT_CHANGEABLE = Object.keys(pointFields) as (keyof PointUpdate)[];
export const LINK_CHANGEABLE = Object.keys(linkFields) as (keyof LinkUpdate)[];

/** What is left in the row of an erased contact, which keeps its id used. */
export const ERASED = { name: '', notes: '' } satisfies Omit<Contact, 'id' | 'created_at'>;

/** The most details, and company links, of one contact. */
export const MAX_POINTS = 1_000;
export const MAX_LINKS = 1_000;
