import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startIdentityProvider } from '../../test/identity-provider.ts';
import { createWorld } from '../../test/world.ts';

const provider = await startIdentityProvider();
/** Nothing answers at port 1. */
const world = await createWorld({
  singleSignOn: { ...provider.settings, issuer: 'http://127.0.0.1:1' },
});

test('a provider that does not answer is reported as that, not as an outage of the service', async () => {
  const begun = await world.browser().post('/sign-in/provider', {});
  expect([begun.status, begun.body.code]).toEqual([503, 'provider_unavailable']);
  expect(begun.body.error).toContain('127.0.0.1:1 does not answer');
});

test('a provider that goes away while somebody signs in is reported as that', async () => {
  const browser = (await createWorld({ singleSignOn: provider.settings })).browser();
  const signIn = async () => {
    const { location, secret } = (await browser.post('/sign-in/provider', {})).body.data;
    const parameters = new URL(provider.authorize(location, { sub: randomUUID() })).search.slice(1);
    const { status, body } = await browser.post('/sign-in/provider/finish', { parameters, secret });
    return [status, body.code];
  };
  expect(await signIn()).toEqual([401, 'account_not_linked']);
  for (const away of ['silent', 'failing'] as const) {
    provider.setAway(away);
    expect(await signIn()).toEqual([503, 'provider_unavailable']);
  }
});

test('an account at a former provider is not one at the configured provider', async () => {
  const { owner, signIn } = await world.workspace();
  const [former, current] = ['https://former.example.no', 'http://127.0.0.1:1/realm'];
  for (const issuer of [former, current]) {
    await world.query('insert into identities (issuer, subject, user_id) values ($1, $2, $3)', [
      issuer,
      owner.id,
      owner.id,
    ]);
  }
  const { data } = (await (await signIn()).get('/identities')).body;
  expect(data).toMatchObject([
    { issuer: former, is_current: false },
    { issuer: current, is_current: true },
  ]);
});
