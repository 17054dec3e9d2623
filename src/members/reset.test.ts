import { expect, test } from 'vitest';
import { endWithFile, kundebokHere, kundebokJson } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();
endWithFile();

const settings = { DATABASE_URL: world.databaseUrl };

const join = (workspace: string, user: string) =>
  world.query('update memberships set joined_at = now() where tenant_id = $1 and user_id = $2', [
    workspace,
    user,
  ]);

test('the link for a new password is printed with the other ways to sign in', async () => {
  const { id, member } = await world.workspace();
  await join(id, member.id);
  const key = `key of ${member.id}`;
  await world.query(
    "insert into passkeys (id, user_id, public_key, counter, transports, name) values ($1, $2, '', 0, '{}', 'Nøkkel')",
    [key, member.id],
  );
  expect(await kundebokJson(['user', 'reset', '--email', member.email], settings)).toEqual({
    user_id: member.id,
    link: expect.stringMatching(/\/welcome\/[\w-]{32}$/),
    expires_at: expect.any(String),
    passkeys: [{ name: 'Nøkkel', created_at: expect.any(String), last_used_at: null }],
    identities: [],
  });
});

test('somebody who can enter no workspace gets no link for a new password; the refusal names the invitation', async () => {
  const { id } = await world.workspace();
  const email = `ny.${id}@example.com`;
  const names = ['--first-name', 'Ny', '--last-name', 'Medlem'];
  const added = ['user', 'add', '--workspace', id, '--email', email, ...names];
  const { user_id: user } = await kundebokJson(added, settings, kundebokHere);
  const reset = () => kundebokHere(['user', 'reset', '--email', email], settings);
  await expect(reset()).resolves.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'cannot enter any workspace: print an invitation with kundebok user invite',
    ),
  });
  await join(id, user);
  await expect(reset()).resolves.toMatchObject({ code: 0 });
  await world.query('update memberships set removed_at = now() where tenant_id = $1 and user_id = $2', [
    id,
    user,
  ]);
  await expect(reset()).resolves.toMatchObject({ code: 1 });
});
