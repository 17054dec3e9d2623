import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startIdentityProvider } from '../../test/identity-provider.ts';
import { cutWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { createLink } from '../members/links.ts';
import { connect } from '../db/connect.ts';

const provider = await startIdentityProvider();
const world = await createWorld({ singleSignOn: provider.settings, keepLogs: true });
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
afterAll(() => db.close());
const browser = world.browser();

async function signIn(claims: Parameters<typeof provider.setNext>[0], link?: string) {
  const begun = await browser.post('/sign-in/provider', link === undefined ? {} : { link });
  expect(begun.status).toBe(200);
  const { location, secret } = begun.body.data;
  const parameters = new URL(provider.authorize(location, claims)).search.slice(1);
  return {
    parameters,
    secret,
    answer: await browser.post('/sign-in/provider/finish', { parameters, secret }),
  };
}

async function invited() {
  const workspace = await world.workspace();
  const person = await workspace.addMember();
  const { path } = await createLink(db, { kind: 'invitation', user_id: person.id, workspace: workspace.id });
  return { workspace, person, link: path.split('/').at(-1)! };
}

test('an account at the provider is linked by an invitation, and signs in from then on', async () => {
  const { person, link, workspace } = await invited();
  const sub = randomUUID();
  const first = await signIn({ sub }, link);
  expect([first.answer.status, first.answer.body.data.user.id]).toEqual([200, person.id]);
  expect(first.answer.body.data.workspace.id).toBe(workspace.id);
  // The link works again, too, since the first answer may have been lost.
  for (const used of [undefined, link]) {
    const again = await signIn({ sub }, used);
    expect([again.answer.status, again.answer.body.data.user.id]).toEqual([200, person.id]);
  }
});

test.each([
  ['the address that the provider tells', {}, 'given'],
  ['no address that the provider has not verified', { email_verified: false }, 'owner@localhost'],
  ['no address that is somebody else’s', {}, 'taken'],
])('the first owner who enters by single sign-on gets %s', async (_, claims, expected) => {
  await world.query("update users set email = id || '@example.no' where email = 'owner@localhost'");
  const { person, link, workspace } = await invited();
  await world.query("update users set email = 'owner@localhost' where id = $1", [person.id]);
  const email = expected === 'taken' ? workspace.owner.email.toUpperCase() : `Ola.${person.id}@example.no`;
  const { answer } = await signIn({ sub: randomUUID(), email, ...claims }, link);
  expect(answer.status).toBe(200);
  expect(answer.body.data.user.email).toBe(expected === 'given' ? email : 'owner@localhost');
});

test('while the browser is at the provider the database has no token of the invitation', async () => {
  const { link } = await invited();
  expect((await browser.post('/sign-in/provider', { link })).status).toBe(200);
  const tables = await world.query("select tablename as name from pg_tables where schemaname = 'public'");
  expect(tables.map(({ name }) => name)).toContain('sign_in_steps');
  for (const { name } of tables) {
    const found = await world.query(`select from "${name}" as t where strpos(t::text, $1) > 0`, [link]);
    expect([name, found]).toEqual([name, []]);
  }
});

test('the provider sends the browser back to PUBLIC_URL, or to another host name where the browser uses that', async () => {
  const running = await world.start({
    singleSignOn: provider.settings,
    publicUrl: 'https://crm.example.no',
  });
  const redirectFrom = async (host: string) => {
    const headers = { 'content-type': 'application/json', host };
    const begun = { method: 'POST', path: '/sign-in/provider', headers, body: '{}' };
    const { location } = (await running.browser().send(begun)).body.data;
    return new URL(location).searchParams.get('redirect_uri');
  };
  expect(await redirectFrom('crm.example.no')).toBe('https://crm.example.no/sign-in/callback');
  expect(await redirectFrom('crm.lan:3000')).toBe('http://crm.lan:3000/sign-in/callback');
});

test.each([
  ['in its token', { given_name: 'Åse', family_name: 'Ødegård' }],
  ['when asked for them', { userinfo: { given_name: 'Åse', family_name: 'Ødegård' } }],
])('a person who is linked has the names that the provider tells %s', async (_, names) => {
  const { link } = await invited();
  const { answer } = await signIn({ sub: randomUUID(), ...names }, link);
  expect(answer.body.data.user).toMatchObject({ first_name: 'Åse', last_name: 'Ødegård' });
});

test.each([
  ['an empty subject', { sub: '', given_name: 'Åse' }],
  ['a subject with U+0000', { sub: 'a\0b' }],
  ['a subject that is too long', { sub: 'x'.repeat(256) }],
  ['an answer that is too large', { sub: 'somebody', padding: 2 * 1024 ** 2 }],
])('%s signs nobody in', async (_, claims) => {
  const { link } = await invited();
  const { answer } = await signIn(claims, link);
  expect([answer.status, answer.body.code]).toEqual([401, 'sign_in_failed']);
});

test.each([
  ['a blank name', '   '],
  ['a name with U+0000', 'a\0b'],
  ['a name with a lone surrogate', '\ud800'],
  ['a name that is too long', 'x'.repeat(256)],
])('%s is not taken from the provider', async (_, given_name) => {
  const { person, link } = await invited();
  const { answer } = await signIn({ sub: randomUUID(), given_name }, link);
  expect([answer.status, answer.body.data.user.id]).toEqual([200, person.id]);
  expect(answer.body.data.user).toMatchObject({ first_name: 'Kari', last_name: 'Nordmann' });
});

test('a linked person who was removed from their only workspace is told that they are in none', async () => {
  const { person, link, workspace } = await invited();
  const sub = randomUUID();
  await signIn({ sub }, link);
  await workspace.removeMember(person);
  const sessions = () => world.query('select id from sessions where user_id = $1', [person.id]);
  const before = await sessions();
  const { answer } = await signIn({ sub });
  expect([answer.status, answer.body.code]).toEqual([403, 'no_workspace']);
  expect(await sessions()).toEqual(before);
});

test('an address alone links nobody, and the refusal is logged with its reason', async () => {
  const { person } = await invited();
  const { answer } = await signIn({ sub: randomUUID(), email: person.email });
  expect([answer.status, answer.body.code]).toEqual([401, 'account_not_linked']);
  expect(world.logs).toContainEqual(
    expect.objectContaining({ msg: 'sign-in refused', reason: 'unknown identity' }),
  );
});

/** Why a service refused sign-ins, as its log says. */
const refusalsOf = ({ logs }: { logs: Record<string, unknown>[] }) =>
  logs.filter(({ msg }) => msg === 'sign-in refused').map(({ reason, err }) => ({ reason, err }));

test.each([
  [
    'that refuses the secret of the settings',
    { clientSecret: 'an old secret' },
    (location: string) => location,
    { error: 'invalid_client', error_description: 'The secret is wrong.' },
  ],
  [
    'whose token does not belong to the sign-in',
    {},
    (location: string) => location.replace(/nonce=[^&]+/, 'nonce=another'),
    { message: expect.stringContaining('"nonce"') },
  ],
])('the log says what was wrong with a provider %s, and no secret', async (_, settings, change, err) => {
  const singleSignOn = { ...provider.settings, ...settings };
  const running = await world.start({ singleSignOn, keepLogs: true });
  const { location, secret } = (await running.browser().post('/sign-in/provider', {})).body.data;
  const back = new URL(provider.authorize(change(location), { sub: 'somebody' }));
  const parameters = back.search.slice(1);
  const { status } = await running.browser().post('/sign-in/provider/finish', { parameters, secret });
  expect(status).toBe(401);
  const reason = 'provider did not confirm';
  expect(refusalsOf(running)).toEqual([{ reason, err: expect.objectContaining(err) }]);
  const logged = JSON.stringify(running.logs);
  const code = back.searchParams.get('code')!;
  for (const told of [secret, code, singleSignOn.clientSecret, 'access_token', 'eyJ']) {
    expect(logged).not.toContain(told);
  }
});

test('a sign-in that began elsewhere, or too long ago, is logged as such', async () => {
  const running = await world.start({ singleSignOn: provider.settings, keepLogs: true });
  const visitor = running.browser();
  for (const isOver of [false, true]) {
    const { location, secret } = (await visitor.post('/sign-in/provider', {})).body.data;
    if (isOver) await world.query('update sign_in_steps set expires_at = now()');
    const parameters = new URL(provider.authorize(location, { sub: 'x' })).search.slice(1);
    const sent = { parameters, secret: isOver ? secret : 'x' };
    expect((await visitor.post('/sign-in/provider/finish', sent)).status).toBe(401);
  }
  const reason = 'took too long, or began in another browser';
  expect(refusalsOf(running)).toEqual([{ reason }, { reason }]);
});

test('a sign-in at the provider during which the database fails is not logged as refused', async () => {
  const running = await world.start({ singleSignOn: provider.settings, keepLogs: true });
  const held = await holdTable(world.databaseUrl, 'sign_in_steps');
  const entering = running.browser().post('/sign-in/provider/finish', { parameters: '', secret: 'x' });
  await held.awaited();
  await cutWaiters(world);
  await held.commit();
  expect([(await entering).status, refusalsOf(running)]).toEqual([503, []]);
});

test('an answer is taken once, and only from the browser that began', async () => {
  const { link } = await invited();
  const sub = randomUUID();
  const { parameters, secret } = await signIn({ sub }, link);
  expect((await browser.post('/sign-in/provider/finish', { parameters, secret })).status).toBe(401);

  const { location } = (await browser.post('/sign-in/provider', {})).body.data;
  const planted = new URL(provider.authorize(location, { sub })).search.slice(1);
  const other = (await browser.post('/sign-in/provider', {})).body.data.secret;
  const refused = await browser.post('/sign-in/provider/finish', { parameters: planted, secret: other });
  expect([refused.status, refused.body.code]).toEqual([401, 'sign_in_failed']);
});

test('an invitation of somebody who has an account is not taken over by another account', async () => {
  const { person, link } = await invited();
  await world.query("update users set password_hash = 'set' where id = $1", [person.id]);
  const { answer } = await signIn({ sub: randomUUID() }, link);
  expect([answer.status, answer.body.code]).toEqual([403, 'sign_in_first']);
});

test('a person who is signed in links an account, which nobody else can link then', async () => {
  const workspace = await world.workspace();
  const sub = randomUUID();
  const link = async (person: typeof workspace.owner) => {
    const own = await workspace.signIn(person);
    const { location, secret } = (await own.post('/identities/begin', {})).body.data;
    const parameters = new URL(provider.authorize(location, { sub })).search.slice(1);
    return own.post('/identities', { parameters, secret });
  };
  expect((await link(workspace.owner)).status).toBe(201);
  expect((await link(workspace.member)).status).toBe(409);
  expect((await signIn({ sub })).answer.body.data.user.id).toBe(workspace.owner.id);
});

test('an account that is linked while a reset ends the session is not linked', async () => {
  const workspace = await world.workspace();
  const { id } = workspace.owner;
  const own = await workspace.signIn();
  const sub = randomUUID();
  const { location, secret } = (await own.post('/identities/begin', {})).body.data;
  const parameters = new URL(provider.authorize(location, { sub })).search.slice(1);
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
  const linking = own.post('/identities', { parameters, secret });
  await held.awaited();
  await held.run(`delete from sessions where user_id = '${id}'`);
  await held.commit();
  expect((await linking).status).toBe(401);
  expect((await signIn({ sub })).answer.status).toBe(401);
});

test('an invitation that is accepted with an account that a reset is unlinking is not used, and lets nobody in', async () => {
  const { person, link } = await invited();
  const { id } = person;
  const sub = randomUUID();
  await signIn({ sub }, link);
  const other = await world.workspace();
  await world.query("insert into memberships (tenant_id, user_id, role) values ($1, $2, 'member')", [
    other.id,
    id,
  ]);
  const { path } = await createLink(db, { kind: 'invitation', user_id: id, workspace: other.id });
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
  const entering = signIn({ sub }, path.replace('/welcome/', ''));
  await held.awaited();
  await held.run(`update users set password_hash = 'another' where id = '${id}'`);
  await held.run(`delete from identities where user_id = '${id}'`);
  await held.run(`delete from sessions where user_id = '${id}'`);
  await held.commit();
  expect((await entering).answer.status).toBe(401);
  expect(await world.query('select from sessions where user_id = $1', [id])).toEqual([]);
  expect((await browser.get(path)).status).toBe(200);
});

test('an account is a way in only while its provider is the configured one', async () => {
  const { workspace, person, link } = await invited();
  await signIn({ sub: randomUUID() }, link);
  const session = await workspace.sessionOf(person);
  const remove = async (from: typeof world | Awaited<ReturnType<typeof world.start>>, path: string) => {
    const { status, body } = await from.browser(session).delete(path);
    return [status, body?.code];
  };
  const addPasskey = () =>
    world.query(
      "insert into passkeys (id, user_id, public_key, counter, transports, name) values ('x', $1, '', 0, '{}', 'x')",
      [person.id],
    );
  await addPasskey();
  const other = { ...provider.settings, issuer: 'https://other.example.no' };
  for (const settings of [{}, { singleSignOn: other }]) {
    const running = await world.start(settings);
    expect(await remove(running, '/passkeys/x')).toEqual([409, 'last_way_in']);
  }
  // The issuer in the tokens differs from this address, as it does where one address serves many directories.
  const wellKnown = `${provider.settings.issuer}/.well-known/openid-configuration`;
  const named = await world.start({ singleSignOn: { ...provider.settings, issuer: wellKnown } });
  expect(await remove(named, '/passkeys/x')).toEqual([204, undefined]);
  expect(await remove(world, '/identities')).toEqual([409, 'last_way_in']);
  await addPasskey();
  expect(await remove(world, '/identities')).toEqual([204, undefined]);
});
