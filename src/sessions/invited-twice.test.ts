import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startIdentityProvider } from '../../test/identity-provider.ts';
import { createWorld } from '../../test/world.ts';

const provider = await startIdentityProvider();
const world = await createWorld({ singleSignOn: provider.settings });
const browser = world.browser();

/** Invites somebody to a new workspace, and gives the path of the link. */
async function invite(person: { email: string; first_name: string; last_name: string }): Promise<string> {
  return (await (await (await world.workspace()).signIn()).post('/members/invite', person)).body.data.path;
}

/** Two invitations of one person, each with other names and another spelling of the address. */
async function inviteTwice() {
  const email = `nora.${randomUUID()}@example.no`;
  const second = { email: email.toUpperCase(), first_name: 'Nora', last_name: 'Berg' };
  const first = { email, first_name: 'Eleonora', last_name: 'Dahl' };
  return {
    first: { ...first, path: await invite(first) },
    second: { ...second, path: await invite(second) },
  };
}

/** Accepts an invitation by single sign-on, with a provider that gives no names. */
async function accept(path: string, sub: string = randomUUID()) {
  const link = path.replace('/welcome/', '');
  const { location, secret } = (await browser.post('/sign-in/provider', { link })).body.data;
  const parameters = new URL(provider.authorize(location, { sub })).search.slice(1);
  return browser.post('/sign-in/provider/finish', { parameters, secret });
}

test('who accepts the second of two invitations by single sign-on has the names and the address of the second', async () => {
  const { second } = await inviteTwice();
  const { status, body } = await accept(second.path);
  const { path: _, ...named } = second;
  expect([status, body.data.user]).toEqual([200, expect.objectContaining(named)]);
});

test('a link shows only the names and spelling of the address from its own workspace, also once there is an account', async () => {
  const { first, second } = await inviteTwice();
  const expectTold = async ({ path, ...named }: typeof first, needs_sign_in: boolean) =>
    expect((await browser.get(path)).body.data).toMatchObject({ ...named, needs_sign_in });
  await expectTold(first, false);
  await expectTold(second, false);
  expect((await accept(first.path)).status).toBe(200);
  await expectTold(second, true);
  const { body } = await browser.post(second.path, {});
  expect([body.code, body.error]).toEqual(['sign_in_first', expect.stringContaining(second.email)]);
});

test('an account that accepted the invitation of one address does not accept that of another, and is told why', async () => {
  const [{ first }, { first: other }] = [await inviteTwice(), await inviteTwice()];
  const sub = randomUUID();
  expect((await accept(first.path, sub)).status).toBe(200);
  const { status, body } = await accept(other.path, sub);
  expect([status, body.code]).toEqual([409, 'account_linked_elsewhere']);
  expect((await browser.get(other.path)).status).toBe(200);
});
