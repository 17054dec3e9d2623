import { CommandError } from '../cli/output.ts';
import type { Queryable } from '../db/connect.ts';
import { newId } from '../db/new-id.ts';
import { violates } from '../db/unavailable.ts';
import { endResets, lockPerson } from './link-store.ts';
import type { Role } from './roles.ts';
import { FIRST_OWNER_EMAIL, type Invited } from './schema.ts';
import { emailKey, findUserByEmail, insertMembership, insertUser, NOT_INVITED } from './store.ts';
import { findWithWayIn } from './ways-in.ts';

export type Person = { email: string; first_name: string; last_name: string };

/** The first owner, who has given no address yet, would become a member of another workspace. */
export class NoAddressYet extends CommandError {}

/**
 * Makes a person a member.
 * @throws {NoAddressYet}
 * @throws {CommandError} for a person who is a member already, and when there is no such workspace
 */
export async function addMember(
  transaction: Queryable,
  workspace: string,
  person: Person,
  role: Role,
): Promise<{ user_id: string }> {
  const { user_id, isNew } = await ensureMember(transaction, workspace, person, role);
  if (!isNew) {
    throw new CommandError(
      `${person.email} is a member of this workspace already: kundebok user invite --role gives them another role`,
    );
  }
  return { user_id };
}

/**
 * Makes a person a member of a workspace, unless they are. A person known by the address from another workspace is the
 * same person: the id is kept, and so are the names. A member who was removed comes back,
 * with the role given now and without the keys they had.
 * @param options.isInvited whether the names and address given here are shown until the person accepts
 * @throws {NoAddressYet}
 * @throws {CommandError} when there is no such workspace
 */
export async function ensureMember(
  transaction: Queryable,
  workspace: string,
  person: Person,
  role: Role,
  { isInvited = false }: { isInvited?: boolean } = {},
): Promise<{ user_id: string; isNew: boolean }> {
  const inserted = await transaction.row(insertUser, { id: newId(), ...person });
  const user = inserted ?? (await transaction.row(findUserByEmail, { emailKey: emailKey(person.email) }));
  if (!user) throw new Error('a user with this address disappeared, although users are never removed');
  const membership = await transaction
    .row(insertMembership, {
      ...(isInvited ? asInvited(person) : NOT_INVITED),
      tenant: workspace,
      user_id: user.id,
      role,
    })
    .catch((error: unknown) => {
      if (!violates(error, 'memberships_tenant_id_fkey')) throw error;
      throw new CommandError(`There is no workspace ${workspace}: see kundebok workspace list`);
    });
  const isNew = membership !== undefined;
  if (isNew) {
    await transaction.row(lockPerson, { user_id: user.id });
    // With a link of another workspace, somebody else could give the first owner an address and a password.
    if (
      !inserted &&
      emailKey(person.email) === FIRST_OWNER_EMAIL &&
      !(await canSignIn(transaction, user.id))
    ) {
      throw new NoAddressYet(
        `${person.email} stands for the first owner, who has not given an address yet: give the person's own address`,
      );
    }
    // Password links were made for what the person could reach before; one made at the same time may look newer than
    // the membership.
    await transaction.rows(endResets, { user_id: user.id });
  }
  return { user_id: user.id, isNew };
}

async function canSignIn(transaction: Queryable, user_id: string): Promise<boolean> {
  return (await transaction.row(findWithWayIn, { user_id })) !== undefined;
}

function asInvited({ email, first_name, last_name }: Person): Invited {
  return { invited_email: email, invited_first_name: first_name, invited_last_name: last_name };
}
