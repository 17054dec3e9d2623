/** What a field of a body takes. */
export type Field = { required?: true; nullable?: true } & (
  | { is: 'text'; longest: number; blank?: true }
  | { is: 'email' }
  | { is: 'orgnr' }
  | { is: 'uuid'; names?: 'user' | 'company' }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'whole'; least: number; most: number }
  | { is: 'boolean' }
  | { is: 'instant' }
);

/** Members of each resource, in the order of its table. */
export const COMPANY = members(
  'id orgnr name status assigned_to source org_form registered_at employees nace_primary email_address phone_number mobile_number website_url is_archived is_deleted',
);
export const NOTE = members('id company_id type content user_id created_at');
export const REGISTER_UNIT = members(
  'orgnr name org_form registered_at employees nace_primary email_address phone_number mobile_number website_url dissolved_on is_branch in_workspace',
);
export const CONTACT = members('id name notes created_at');
export const POINT = members('id type label value');
export const LINK = members('id company_id role');
export const TASK = members(
  'id title description due_date has_time_specified user_id related_company_id completed created_at updated_at',
);
export const OFFER = members(
  'id title description company_id user_id status one_time_revenue recurring_revenue recurring_frequency weight created_at',
);
export const CHANGE = members(
  'id at resource resource_id orgnr contact_id action fields values actor request_id',
);

function members(names: string): string[] {
  return names.split(' ');
}

export const required = { required: true } as const;
export const nullable = { nullable: true } as const;
export const title: Field = { is: 'text', longest: 255 };
const longText: Field = { is: 'text', longest: 20_000, blank: true };
const money: Field = { is: 'whole', least: 0, most: Number.MAX_SAFE_INTEGER };

export const companyFields: Record<string, Field> = {
  status: { is: 'choice', of: ['lead', 'prospect', 'customer', 'former_customer', 'disqualified'] },
  assigned_to: { is: 'uuid', names: 'user', ...nullable },
  email_address: { is: 'email', ...nullable },
  phone_number: { is: 'text', longest: 64, blank: true, ...nullable },
  mobile_number: { is: 'text', longest: 64, blank: true, ...nullable },
  website_url: { is: 'text', longest: 2048, blank: true, ...nullable },
};
export const contactFields: Record<string, Field> = { name: title, notes: longText };
export const taskFields: Record<string, Field> = {
  title,
  description: { ...longText, ...nullable },
  due_date: { is: 'instant' },
  has_time_specified: { is: 'boolean' },
  user_id: { is: 'uuid', names: 'user' },
  related_company_id: { is: 'uuid', names: 'company', ...nullable },
};
export const offerFields: Record<string, Field> = {
  title,
  description: { ...longText, ...nullable },
  company_id: { is: 'uuid', names: 'company' },
  user_id: { is: 'uuid', names: 'user' },
  status: { is: 'choice', of: ['new', 'sent', 'negotiating', 'accepted', 'rejected'] },
  one_time_revenue: money,
  recurring_revenue: money,
  recurring_frequency: { is: 'choice', of: ['monthly', 'quarterly', 'yearly'] },
  weight: { is: 'whole', least: 0, most: 100 },
};

export function withRequired(fields: Record<string, Field>, ...names: string[]): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      names.includes(name) ? { ...field, ...required } : field,
    ]),
  );
}

export const id: Field = { is: 'uuid' };
