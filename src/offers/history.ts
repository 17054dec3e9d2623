import { sql } from 'kysely';
import { z } from 'zod';
import { ACTORS } from '../changes/schema.ts';
import { nameOf } from '../members/shown.ts';
import { statement } from '../db/statement.ts';
import { timestamp, uuid } from '../http/fields.ts';

const entry = z.strictObject({
  at: timestamp,
  action: z.enum(['created', 'updated', 'deleted', 'restored']),
  fields: z.array(z.string()),
  /** By field, the values before and after; for owner and company, their names. */
  values: z.record(z.string(), z.array(z.unknown()).length(2)),
  actor: z.strictObject({
    kind: z.enum(ACTORS),
    /** Name of the person, the key or the command; null for the register, and for a person or key no longer stored. */
    name: z.string().nullable(),
    person: uuid.nullable(),
  }),
});

export const offerHistoryAnswer = z.strictObject({ data: z.array(entry), has_more: z.boolean() });

export type OfferHistoryEntry = z.output<typeof entry>;

/** The newest entries of an offer, the newest first. */
export const listHistory = statement(
  'list history of offer',
  (p: { tenant: string; id: string; limit: number }) => sql<OfferHistoryEntry>`
    select e.at, e.action, e.fields,
      e."values"
        || case when e."values" ? 'user_id' then jsonb_build_object('user_id', (
          select jsonb_agg(${nameOf(p.tenant, sql`side.id::uuid`)} order by side.place)
          from jsonb_array_elements_text(e."values" -> 'user_id') with ordinality as side (id, place))) else '{}' end
        || case when e."values" ? 'company_id' then jsonb_build_object('company_id', (
          select jsonb_agg(c.name order by side.place)
          from jsonb_array_elements_text(e."values" -> 'company_id') with ordinality as side (id, place)
          left join companies as c on c.tenant_id = ${p.tenant} and c.id = side.id::uuid)) else '{}' end as "values",
      json_build_object('kind', e.actor_kind,
        'name', case e.actor_kind when 'user' then ${nameOf(p.tenant, sql`e.actor_id::uuid`)}
          when 'key' then (select k.name from api_keys as k where k.tenant_id = ${p.tenant} and k.id = e.actor_id)
          when 'command' then e.actor_id end,
        'person', case e.actor_kind when 'user' then e.actor_id end) as actor
    from (
      select * from changes where tenant_id = ${p.tenant} and resource = 'offer' and resource_id = ${p.id}
      order by draw desc limit ${p.limit}) as e
    order by e.draw desc`,
);
