import { z } from 'zod';
import { requiredText } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { UNIT_FIELDS, type Unit } from '../register/register.ts';
import { company, COMPANY_EXAMPLE } from './schema.ts';

/** The fields that a company takes from the register. */
const { shape } = company.pick(
  Object.fromEntries(UNIT_FIELDS.map((field) => [field, true])) as Record<keyof Unit, true>,
);

const registerUnit = z
  .strictObject({
    ...shape,
    org_form: shape.org_form
      .nullable()
      .meta({ description: 'Null for a dissolved unit where the register no longer states it.' }),
    registered_at: shape.registered_at
      .nullable()
      .meta({ description: 'Null for a dissolved unit where the register no longer states it.' }),
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
        ...z.object(shape).parse(COMPANY_EXAMPLE),
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
    description:
      'Whole words of a name or their beginnings, in any order, or the leading digits of a number.',
    examples: ['asa kong'],
  }),
  limit: limitOf({ max: 20, usual: 10 }).meta({
    description: 'Maximum number of units to return; 10 when absent.',
  }),
});

export type RegisterUnit = z.output<typeof registerUnit>;
