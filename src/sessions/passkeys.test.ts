import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { expect, test } from 'vitest';
import { countWaiters, cutWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld({ keepLogs: true });

type Browser = ReturnType<typeof world.browser>;

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64url');

/** What an authenticator answers, without the proof that it has the key. */
function answerTo(type: 'webauthn.create' | 'webauthn.get', challenge: string, id: string) {
  const clientDataJSON = base64(JSON.stringify({ type, challenge, origin: world.origin }));
  return { id, rawId: id, type: 'public-key', response: { clientDataJSON } };
}

async function challengeOf(browser: Browser, path: string): Promise<string> {
  return (await browser.post(path, {})).body.data.challenge;
}

/** Adds a passkey as a browser does. @param more fields of the authenticator's response */
async function addPasskey(browser: Browser, more: object = {}) {
  const challenge = await challengeOf(browser, '/passkeys/options');
  const id = randomBytes(16);
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const key = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x!, 'base64url')],
    [-3, Buffer.from(y!, 'base64url')],
  ]);
  const authData = Buffer.concat([
    hash('sha256', new URL(world.origin).hostname, 'buffer'),
    // The user is present and verified, a credential is included; the counter is 0, and no model is given.
    Buffer.from([0x45, 0, 0, 0, 0, ...Buffer.alloc(16), 0, id.length]),
    id,
    isoCBOR.encode(key),
  ]);
  const attested = new Map<string, string | Map<string, string> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ]);
  const answered = answerTo('webauthn.create', challenge, base64(id));
  const attestationObject = base64(isoCBOR.encode(attested));
  const response = { ...answered.response, attestationObject, ...more };
  return browser.post('/passkeys', { name: 'Nøkkel', response: { ...answered, response } });
}

test.for([undefined, ['internal', 'hybrid'], ['what comes later']])(
  'a passkey is added with the transports %j',
  async (transports) => {
    const browser = await (await world.workspace()).signIn();
    const { status, body } = await addPasskey(browser, { transports });
    expect([status, body.data]).toMatchObject([201, [{ name: 'Nøkkel', transports: transports ?? [] }]]);
  },
);

test.for(['usb', [1], [['usb']], ['\0'], ['\uD800'], [null]])(
  'a passkey with the transports %j is refused, and none is added',
  async (transports) => {
    const browser = await (await world.workspace()).signIn();
    const { status, body } = await addPasskey(browser, { transports });
    expect([status, body.code, body.details?.[0].field]).toEqual([400, 'invalid_request', 'response']);
    expect((await browser.get('/passkeys')).body.data).toEqual([]);
  },
);

test('of a hundred passkeys all are listed, and no further one is added', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const challenge = await challengeOf(browser, '/passkeys/options');
  await world.query(
    `insert into passkeys (id, user_id, public_key, counter, transports, name)
     select 'key ' || n, $1, '', 0, '{}', 'Nøkkel' from generate_series(1, 100) as n`,
    [workspace.owner.id],
  );
  expect((await browser.get('/passkeys')).body.data).toHaveLength(100);
  const response = answerTo('webauthn.create', challenge, 'x');
  const refused = [
    await browser.post('/passkeys/options', {}),
    await browser.post('/passkeys', { name: 'Nøkkel', response }),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
    Array(2).fill('409 limit_reached'),
  );
});

test('of two passkeys that are added at once, only one is, as the hundredth', async () => {
  const workspace = await world.workspace();
  const { id } = workspace.owner;
  const browser = await workspace.signIn();
  await world.query(
    `insert into passkeys (id, user_id, public_key, counter, transports, name)
     select $1::text || n, $1::uuid, '', 0, '{}', 'Nøkkel' from generate_series(1, 99) as n`,
    [id],
  );
  const person = await holdRow(world.databaseUrl, 'select from users where id = $1 for no key update', [id]);
  const adding = [addPasskey(browser), addPasskey(browser)];
  await expect.poll(() => countWaiters(world)).toBe(2);
  await person.commit();
  const answers = await Promise.all(adding);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409']);
});

test('the last way in of somebody without a password is not removed, not even by two requests at once', async () => {
  const workspace = await world.workspace();
  const { id: user } = workspace.owner;
  const browser = await workspace.signIn();
  await addPasskey(browser);
  const [one, other] = (await addPasskey(browser)).body.data.map(({ id }: { id: string }) => id);
  const remove = async (path: string) => {
    const { status, body } = await browser.delete(path);
    return [status, body?.code];
  };
  expect(await remove('/identities')).toEqual([204, undefined]);
  const both = await Promise.all([remove(`/passkeys/${one}`), remove(`/passkeys/${other}`)]);
  expect(both.toSorted()).toEqual([
    [204, undefined],
    [409, 'last_way_in'],
  ]);
  const [{ id: last }] = (await browser.get('/passkeys')).body.data;
  // There is no provider here: an account at one is no way in.
  await world.query("insert into identities (issuer, subject, user_id) values ('https://x', 'x', $1)", [
    user,
  ]);
  expect(await remove(`/passkeys/${last}`)).toEqual([409, 'last_way_in']);
  await browser.post('/profile/password', { new_password: 'et langt passord her' });
  expect(await remove(`/passkeys/${last}`)).toEqual([204, undefined]);
  expect(await remove(`/passkeys/${last}`)).toEqual([404, 'not_found']);
  expect(await remove('/identities')).toEqual([204, undefined]);
});

test('an id with a character that cannot be stored is refused', async () => {
  const id = '\0';
  const response = answerTo('webauthn.get', 'x', id);
  const entering = await world.browser().post('/sign-in/passkey', { response });
  expect([entering.status, entering.body.code]).toEqual([400, 'invalid_request']);
  const browser = await (await world.workspace()).signIn();
  expect((await browser.delete(`/passkeys/${encodeURIComponent(id)}`)).status).toBe(400);
});

/** What is answered when the connection breaks while the step of signing in is read from the database. */
async function answerOfOutage(send: () => ReturnType<Browser['post']>) {
  const held = await holdTable(world.databaseUrl, 'sign_in_steps');
  const asking = send();
  await held.awaited();
  await cutWaiters(world);
  await held.commit();
  const { status, body } = await asking;
  return [status, body.code];
}

test('without the database, a passkey is neither refused nor logged as refused', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const added = answerTo('webauthn.create', await challengeOf(browser, '/passkeys/options'), 'eA');
  const outage = [503, 'temporarily_unavailable'];
  const adding = () => browser.post('/passkeys', { name: 'Nøkkel', response: added });
  expect(await answerOfOutage(adding)).toEqual(outage);

  const { id } = (await addPasskey(browser)).body.data[0];
  const stranger = world.browser();
  const response = answerTo('webauthn.get', await challengeOf(stranger, '/sign-in/passkey-options'), id);
  const begun = world.logs.length;
  const entering = () => stranger.post('/sign-in/passkey', { response });
  expect(await answerOfOutage(entering)).toEqual(outage);
  expect(world.logs.slice(begun)).not.toContainEqual(expect.objectContaining({ msg: 'sign-in refused' }));
});
