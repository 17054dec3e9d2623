import { hasBit, type Permission } from '../http/permission.ts';
import { ALL_PERMISSIONS, PERMISSIONS } from '../keys/permissions.ts';

/** Roles of a member, lowest first: each may also do what those before it may. */
export const ROLES = ['member', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** The bit of a role, above those of the permissions: set in a key's mask, it would grant nothing in the API. */
const bitOf = (role: Role) => PERMISSIONS.length + ROLES.indexOf(role);

/** What a person in this role may do: everything a key can be given, and what the role adds. */
export function maskOfRole(role: Role): number {
  return ROLES.slice(0, ROLES.indexOf(role) + 1).reduce(
    (mask, one) => mask + 2 ** bitOf(one),
    ALL_PERMISSIONS,
  );
}

/** Requires a person in this role or a higher one. */
export function role(least: Role): Permission {
  return {
    title: least === 'member' ? 'any member' : `the role ${ROLES.slice(ROLES.indexOf(least)).join(' or ')}`,
    missingFrom: (mask) => (hasBit(mask, bitOf(least)) ? [] : [least]),
  };
}

/**
 * Requires `permission`, and that the person or the key's creator is in this role or a higher one: a key can do no more
 * than its creator may.
 */
export function createdBy(least: Role, permission: Permission): Permission {
  const roles = ROLES.slice(ROLES.indexOf(least));
  return {
    title: `${permission.title}; its creator in the role ${roles.join(' or ')}`,
    missingFrom: (mask, creator) => [
      ...permission.missingFrom(mask),
      ...(roles.some((one) => one === creator) ? [] : [{ ofCreator: roles }]),
    ],
  };
}

/** The role of a person with this mask. */
export function roleOf(mask: number): Role {
  return ROLES.findLast((one) => hasBit(mask, bitOf(one))) ?? 'member';
}

/** Whether a person in one role may decide about members in another: admins about members, owners about all. */
export function mayDecide(one: Role, other: Role): boolean {
  return one === 'owner' || (one === 'admin' && other === 'member');
}
