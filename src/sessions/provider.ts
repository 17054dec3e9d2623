import * as oidc from 'openid-client';
import type { Config } from '../config.ts';
import { isLoopback } from '../http/address.ts';
import { email, requiredText } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { urlOf } from '../http/same-origin.ts';

/** A person's identity at an identity provider. Names and address are empty where it gives none. */
export type Identity = {
  issuer: string;
  subject: string;
  first_name: string;
  last_name: string;
  email: string;
};

/** What the answer of a provider is checked with. */
export type Checks = { state: string; nonce: string; verifier: string; redirect: string };

export type Provider = {
  /** For people: the host of the provider. */
  name: string;
  /** Whether an account with this issuer is one of this provider. */
  isIssuer(issuer: string): boolean;
  /**
   * Where to send a browser, and what the provider's answer will be checked with.
   * @param origin where the browser reached the service
   * @throws {Problem} provider_unavailable
   */
  begin(origin: string): Promise<{ location: string; checks: Checks }>;
  /** @param parameters the query string with which the browser came back. @throws {Problem} sign_in_failed, provider_unavailable */
  finish(parameters: string, checks: Checks): Promise<Identity>;
};

const TIMEOUT_SECONDS = 10;

/** Far more than any provider sends; the memory of the process is shared by everybody. */
const MAX_ANSWER_BYTES = 1024 ** 2;

/** OpenID Connect Core, 2: at most 255 characters. */
const subject = requiredText(255);

/** What cannot be a name in a profile is left out, rather than keeping somebody from signing in. */
const name = requiredText(255).catch('');

/** The same for an address. */
const address = email.catch('');

/** Where the provider sends the browser back to: a page of the application. */
const REDIRECT_PATH = '/sign-in/callback';

/**
 * The configured identity provider (OpenID Connect, authorization code with PKCE); its metadata are read when first
 * needed.
 * @param publicUrl the address of the service that the provider knows; a browser that uses another host name returns
 * to that one, since only pages there know that sign-in has begun
 */
export function openProvider(
  settings: NonNullable<Config['singleSignOn']>,
  publicUrl: string | undefined,
): Provider {
  const { issuer, clientId, clientSecret } = settings;
  const server = new URL(issuer);
  let discovered: Promise<oidc.Configuration> | undefined;

  function discover(): Promise<oidc.Configuration> {
    discovered ??= oidc
      .discovery(server, clientId, clientSecret, undefined, {
        timeout: TIMEOUT_SECONDS,
        [oidc.customFetch]: fetchBounded,
        // A provider on this machine may be without TLS, for development.
        execute: isLoopback(server.hostname) ? [oidc.allowInsecureRequests] : [],
      })
      .catch((cause: unknown) => {
        discovered = undefined;
        return away(cause);
      });
    return discovered;
  }

  function away(cause: unknown): never {
    const message = `${server.host} does not answer: sign in another way, or later`;
    throw new Problem('provider_unavailable', message, { headers: { 'retry-after': '10' }, cause });
  }

  function refused(cause: unknown): never {
    if (cause instanceof Error && cause.cause instanceof Unanswered) return away(cause);
    throw new Problem('sign_in_failed', `${server.host} did not confirm who you are: try again`, { cause });
  }

  return {
    name: server.host,
    // By host: the issuer may name the directory of the person, and the setting may be the address of the metadata.
    isIssuer: (other) => URL.parse(other)?.host === server.host,
    async begin(origin) {
      const configuration = await discover();
      const { host } = urlOf(origin);
      const redirect = (publicUrl && new URL(publicUrl).host === host ? publicUrl : origin) + REDIRECT_PATH;
      const verifier = oidc.randomPKCECodeVerifier();
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, redirect };
      const location = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirect,
        scope: 'openid profile email',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { location: location.href, checks };
    },
    async finish(parameters, { state, nonce, verifier, redirect }) {
      const configuration = await discover();
      const answered = await oidc
        .authorizationCodeGrant(configuration, new URL(`${redirect}?${parameters}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        .catch(refused);
      const { iss, sub, ...told } = answered.claims()!;
      const judged = subject.safeParse(sub);
      if (!judged.success) return refused(judged.error);
      // The standard leaves it to the provider whether the token contains names (OpenID Connect Core, 5.4).
      const isNamed = told['given_name'] !== undefined || told['name'] !== undefined;
      const asks = !isNamed && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = asks
        ? await oidc.fetchUserInfo(configuration, answered.access_token, sub).catch(refused)
        : {};
      const names: Readonly<Record<string, unknown>> = { ...told, ...more };
      return {
        issuer: iss,
        subject: judged.data,
        first_name: name.parse(names['given_name']) || name.parse(names['name']),
        last_name: name.parse(names['family_name']),
        email: names['email_verified'] === false ? '' : address.parse(names['email']),
      };
    },
  };
}

/** The provider did not answer. The library passes this error on as the cause of its own. */
class Unanswered extends Error {}

/**
 * Like `fetch`, but reading an answer of more than MAX_ANSWER_BYTES fails.
 * @throws {Unanswered} when there is no answer, or one with a status of 500 or above
 */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options).catch((cause: unknown) => {
    throw new Unanswered('no answer', { cause });
  });
  if (response.status >= 500) throw new Unanswered(`status ${response.status}`);
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES)
        controller.error(new Error(`more than ${MAX_ANSWER_BYTES} bytes of an answer`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bounded), response);
}
