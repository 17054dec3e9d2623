import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { statement } from '../db/statement.ts';
import { uuid } from '../http/fields.ts';
import { personOf, SHOWN } from './shown.ts';

/** The short form of a person in other resources, for example as the owner of an offer. */
export const person = z.strictObject({ id: uuid, first_name: z.string(), last_name: z.string() });

/** The same for a person who may have left the workspace. */
export const namedPerson = person.extend({ is_member: z.boolean() });

/** A `namedPerson` as the column `user`, for rows that hold the id of a person. */
export const personColumn = (tenant: unknown, id: RawBuilder<unknown>) =>
  sql`(select json_build_object('id', u.id, 'first_name', ${SHOWN.first_name}, 'last_name', ${SHOWN.last_name},
      'is_member', m.removed_at is null)
    from ${personOf(tenant, id)}) as "user"`;

/** People of the workspace by id: one query for all the people that a page names. */
export const findNamedPeople = statement(
  'find named people',
  (p: { tenant: string; ids: readonly string[] }) => sql<z.output<typeof namedPerson>>`
    select u.id, ${SHOWN.first_name} as first_name, ${SHOWN.last_name} as last_name, m.removed_at is null as is_member
    from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.user_id = any(${p.ids}::uuid[])`,
);
