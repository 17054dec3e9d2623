import { describe, test } from 'vitest';
import { endWithFile, kundebokHere } from '../service.ts';

endWithFile();

const AWAY = { DATABASE_URL: 'postgres://kundebok:secret@127.0.0.1:1/kundebok' };

function identityProvider(issuer: string) {
  return { ...AWAY, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'kundebok', OIDC_CLIENT_SECRET: 'secret' };
}

describe.concurrent('settings', () => {
  test.for(['http://login.example.no', 'http://10.0.0.7:8080', 'login.example.no'])(
    'cannot name %s as identity provider: its keys and tokens would be sent unencrypted',
    async (issuer, { expect }) => {
      const fault = 'OIDC_ISSUER must be an address that starts with https:// (http:// only on localhost)';
      const { code, stderr } = await kundebokHere(['workspace', 'list'], identityProvider(issuer));
      expect([code, stderr]).toEqual([2, `Invalid settings:\n  ${fault}\n`]);
    },
  );

  test.for([
    'https://login.example.no',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])('can name %s as identity provider', async (issuer, { expect }) => {
    const { stderr } = await kundebokHere(['workspace', 'list'], identityProvider(issuer));
    expect(stderr).toContain('The database is unavailable');
  });

  const NOT_PLAIN = 'must not have a user name, a password, ? or #';
  test.for([
    ['REGISTER_URL', 'https://kari:hemmelig@register.example/api'],
    ['REGISTER_URL', 'https://hemmelig@register.example/api'],
    ['REGISTER_URL', 'https://register.example/api?token=hemmelig'],
    ['REGISTER_URL', 'https://register.example/api#hemmelig'],
    ['REGISTER_URL', 'https://register.example/api?'],
    ['PUBLIC_URL', 'https://:hemmelig@crm.example.no'],
    ['PUBLIC_URL', 'https://crm.example.no?hemmelig'],
    ['PUBLIC_URL', 'https://crm.example.no/#'],
  ])('refuse %s=%s, without repeating it: paths are appended to it', async ([name, value], { expect }) => {
    const { code, stderr } = await kundebokHere(['workspace', 'list'], { ...AWAY, [name!]: value! });
    expect([code, stderr]).toEqual([2, `Invalid settings:\n  ${name} ${NOT_PLAIN}\n`]);
  });

  test.for(['https://kari:hemmelig@login.example.no', 'https://hemmelig@login.example.no'])(
    'refuse OIDC_ISSUER=%s, without repeating it: a failed request would log it',
    async (issuer, { expect }) => {
      const { code, stderr } = await kundebokHere(['workspace', 'list'], identityProvider(issuer));
      const fault = 'OIDC_ISSUER must not have a user name or a password';
      expect([code, stderr]).toEqual([2, `Invalid settings:\n  ${fault}\n`]);
    },
  );

  test.for(['0.0.0.0/0', '::/0', '10.0.0.7,10.0.0.0/00'])(
    'refuse TRUST_PROXY=%s, which trusts everybody',
    async (proxies, { expect }) => {
      const { code, stderr } = await kundebokHere(['workspace', 'list'], { ...AWAY, TRUST_PROXY: proxies });
      const fault = 'TRUST_PROXY must not trust every address: name the network of the proxy';
      expect([code, stderr]).toEqual([2, `Invalid settings:\n  ${fault}\n`]);
    },
  );
});
