import { hasBit, type Permission } from '../http/permission.ts';

/** Permissions by bit of the mask: the name's place in this list is its bit. */
export const PERMISSIONS = [
  'companies:read',
  'companies:write',
  'contacts:read',
  'contacts:write',
  'tasks:read',
  'tasks:write',
  'offers:read',
  'offers:write',
] as const;

export type PermissionName = (typeof PERMISSIONS)[number];

/** Requires every named permission. "Read and write" in the contract means both. */
export function needs(...names: readonly PermissionName[]): Permission {
  return {
    title: names.join(' and '),
    missingFrom: (mask) => names.filter((name) => !hasBit(mask, PERMISSIONS.indexOf(name))),
  };
}

/** Also requires `more` where `asks` returns true for the query as it was sent. */
export function alsoNeeds(
  permission: Permission,
  more: PermissionName,
  asks: (query: Readonly<Record<string, unknown>>) => boolean,
): Permission {
  return {
    ...permission,
    missingFrom: (mask, role, query = {}) => [
      ...permission.missingFrom(mask, role, query),
      ...(asks(query) ? needs(more).missingFrom(mask) : []),
    ],
  };
}

/** Any valid key is enough. */
export const anyKey: Permission = { title: 'any valid key', missingFrom: () => [] };

const READS = PERMISSIONS.filter((name) => name.endsWith(':read'));

/** Read access to at least one CRM resource. */
export const anyRead: Permission = {
  title: `one of ${READS.join(', ')}`,
  missingFrom: (mask) =>
    READS.some((name) => hasBit(mask, PERMISSIONS.indexOf(name))) ? [] : [READS.join(' or ')],
};

/** The mask that grants exactly these permissions. */
export function maskOf(names: Iterable<PermissionName>): number {
  return [...new Set(names)].reduce((mask, name) => mask + 2 ** PERMISSIONS.indexOf(name), 0);
}

/** The permissions that a mask grants, in order of bit. */
export function namesOf(mask: number): PermissionName[] {
  return PERMISSIONS.filter((_, bit) => hasBit(mask, bit));
}

export const ALL_PERMISSIONS = maskOf(PERMISSIONS);
