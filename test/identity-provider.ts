import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

type Names = { given_name?: string; family_name?: string };

/** `userinfo`: claims that only the endpoint of that name gives; `padding`: bytes added to the token response. */
type Claims = Names & {
  sub: string;
  email?: string;
  email_verified?: boolean;
  userinfo?: Names;
  padding?: number;
};

const CLIENT = { clientId: 'kundebok', clientSecret: 'a secret of both' };

/** An identity provider that speaks OpenID Connect: authorization code with PKCE, RS256. */
export async function startIdentityProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { claims: Claims; nonce: string; challenge: string; redirect: string }>();
  const accessTokens = new Map<string, Claims>();
  /** Whom the authorization page signs in next; the page of a real provider would ask. */
  let next: Claims = { sub: 'nobody' };
  let isAway: false | 'silent' | 'failing' = false;

  const server = createServer((request, response) => {
    const url = new URL(request.url!, issuer);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') json(200, configuration());
    else if (url.pathname === '/jwks') {
      json(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    } else if (url.pathname === '/authorize') {
      response.writeHead(302, { location: authorize(url.href, next) }).end();
    } else if (url.pathname === '/token' && isAway) {
      if (isAway === 'silent') request.socket.destroy();
      else json(503, { error: 'temporarily_unavailable' });
    } else if (url.pathname === '/token') {
      void readBody(request).then((body) => {
        const answered = token(request.headers.authorization, body);
        return json('error' in answered ? 400 : 200, answered);
      });
    } else if (url.pathname === '/userinfo') {
      const claims = accessTokens.get(request.headers.authorization?.slice('Bearer '.length) ?? '');
      json(claims ? 200 : 401, { sub: claims?.sub, ...claims?.userinfo });
    } else json(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  function configuration() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  /** Where a browser is sent back to, after somebody has signed in at the provider. */
  function authorize(location: string, claims: Claims): string {
    const asked = new URL(location).searchParams;
    const code = randomUUID();
    const redirect = asked.get('redirect_uri')!;
    codes.set(code, {
      claims,
      redirect,
      nonce: asked.get('nonce')!,
      challenge: asked.get('code_challenge')!,
    });
    return `${redirect}?${new URLSearchParams({ code, state: asked.get('state')! }).toString()}`;
  }

  function token(authorization: string | undefined, body: URLSearchParams) {
    const found = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const secret = authorization
      ? Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
      : `${body.get('client_id')}:${body.get('client_secret')}`;
    const isClient =
      decodeURIComponent(secret.replaceAll('+', ' ')) === `${CLIENT.clientId}:${CLIENT.clientSecret}`;
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isClient) return { error: 'invalid_client', error_description: 'The secret is wrong.' };
    if (!found || verifier !== found.challenge || body.get('redirect_uri') !== found.redirect) {
      return { error: 'invalid_grant' };
    }
    const now = Math.floor(Date.now() / 1000);
    const { userinfo: _apart, ...told } = found.claims;
    const claims = {
      ...told,
      iss: issuer,
      aud: CLIENT.clientId,
      nonce: found.nonce,
      iat: now,
      exp: now + 60,
    };
    const access_token = randomUUID();
    accessTokens.set(access_token, found.claims);
    const padding = 'x'.repeat(found.claims.padding ?? 0);
    return { access_token, token_type: 'Bearer', id_token: sign(claims), padding };
  }

  function sign(claims: object): string {
    const content = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(claims)}`;
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`;
  }

  return {
    settings: { issuer, ...CLIENT },
    authorize,
    /** Sets whom the provider signs in next. */
    setNext: (claims: Claims) => void (next = claims),
    /** Sets whether the token endpoint fails, without an answer or with a 503. */
    setAway: (away: typeof isAway) => void (isAway = away),
  };
}

async function readBody(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return new URLSearchParams(Buffer.concat(parts).toString());
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
