import { z } from 'zod';
import { requiredText } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { company } from './schema.ts';

const { shape } = company;

const registerUnit = z
  .strictObject({
    orgnr: shape.orgnr,
    name: shape.name,
    org_form: shape.org_form
      .nullable()
      .meta({ description: 'Null where the register no longer states it of a dissolved unit.' }),
    registered_at: shape.registered_at
      .nullable()
      .meta({ description: 'Null where the register no longer states it of a dissolved unit.' }),
    employees: shape.employees,
    nace_primary: shape.nace_primary,
    email_address: shape.email_address,
    phone_number: shape.phone_number,
    mobile_number: shape.mobile_number,
    website_url: shape.website_url,
    dissolved_on: shape.registered_at
      .nullable()
      .meta({ description: 'The day on which the unit was dissolved; null for an active one.' }),
    is_branch: z.boolean().meta({ description: 'Whether it is a branch (underenhet) of another unit.' }),
    in_workspace: z.enum(['none', 'company', 'deleted']).meta({
      description: 'Whether the workspace has a company with this number, or one that was deleted.',
    }),
  })
  .meta({
    id: 'RegisterUnit',
    examples: [
      {
        orgnr: '923609016',
        name: 'EQUINOR ASA',
        org_form: 'ASA',
        registered_at: '1995-03-12',
        employees: 21272,
        nace_primary: '06.100',
        email_address: null,
        phone_number: '51 99 00 00',
        mobile_number: null,
        website_url: 'www.equinor.com',
        dissolved_on: null,
        is_branch: false,
        in_workspace: 'none',
      },
    ],
  });

export const registerAnswer = z.strictObject({ data: registerUnit });
export const registerSearchAnswer = z.strictObject({ data: z.array(registerUnit) });

export const registerQuery = z.strictObject({
  q: requiredText(100).meta({
    description: 'Words of a name from their start, in any order, or the leading digits of a number.',
    examples: ['asa kong'],
  }),
  limit: limitOf({ max: 20, usual: 10 }).meta({
    description: 'Maximum number of units to return; 10 when absent.',
  }),
});

export type RegisterUnit = z.output<typeof registerUnit>;
