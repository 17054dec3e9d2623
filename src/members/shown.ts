import { sql } from 'kysely';

/**
 * What a workspace sees of person `u` with membership `m`. For somebody who has not accepted the workspace's invitation
 * yet, that is what the invitation says, not what another workspace was told.
 */
export const SHOWN = {
  email: sql<string>`coalesce(m.invited_email, u.email)`,
  first_name: sql<string>`coalesce(m.invited_first_name, u.first_name)`,
  last_name: sql<string>`coalesce(m.invited_last_name, u.last_name)`,
  name: sql<string>`concat_ws(' ', nullif(coalesce(m.invited_first_name, u.first_name), ''),
    nullif(coalesce(m.invited_last_name, u.last_name), ''))`,
};

/** The same, with the id, as columns of a query. */
export const SHOWN_USER = sql`u.id, ${SHOWN.email} as email, ${SHOWN.first_name} as first_name, ${SHOWN.last_name} as last_name`;

/** The `from` clause for person `u` with membership `m` in a workspace. */
export const personOf = (tenant: unknown, user: unknown) =>
  sql`memberships as m join users as u on u.id = m.user_id where m.tenant_id = ${tenant} and m.user_id = ${user}`;

/** The full name of a person in a workspace, as a subquery. */
export const nameOf = (tenant: unknown, user: unknown) =>
  sql`(select ${SHOWN.name} from ${personOf(tenant, user)})`;
