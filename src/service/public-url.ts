import { reasonOf } from '../db/unavailable.ts';
import type { Config } from '../config.ts';
import { isLoopback } from '../http/address.ts';
import type { Finding } from '../cli/findings.ts';

const TIMEOUT_MS = 3_000;

/** What a proxy must not expose. The second is the first one for the service, which decodes paths. */
const INNER = ['/metrics', '/%6Detrics', '/healthz', '/readyz'];

/**
 * Asks the service by the address that people use, which leads through a proxy with TLS. A proxy that is not there
 * yet is a warning, because `doctor` is also run before the first start.
 */
export async function inspectPublicUrl({
  publicUrl,
  trustProxy,
  host,
}: Pick<Config, 'publicUrl' | 'trustProxy' | 'host'>): Promise<Finding[]> {
  if (publicUrl === undefined) {
    if (isLoopback(host)) return [];
    const warning = `HOST=${host} accepts connections from the network, and no PUBLIC_URL names a proxy with TLS: keys and passwords could be read in transit`;
    return [{ check: 'proxy', ok: true, found: warning, warning }];
  }
  // As in compose.yaml: people on the machine itself, and no proxy.
  if (trustProxy.length === 0 && isLoopback(new URL(publicUrl).hostname)) return [];
  if (trustProxy.length === 0) {
    return [
      {
        check: 'proxy',
        ok: false,
        found: `PUBLIC_URL is ${publicUrl}, but no proxy is trusted`,
        advice: 'set TRUST_PROXY to the address of the proxy, for example TRUST_PROXY=127.0.0.1',
      },
    ];
  }
  return [{ check: 'proxy', ...(await findProxyFault(publicUrl)) }];
}

async function findProxyFault(publicUrl: string): Promise<Omit<Finding, 'check'>> {
  try {
    const answer = await ask(`${publicUrl}/api/v1/me`);
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    if (answer.status !== 401 || code !== 'unauthorized') {
      return {
        ok: false,
        found: `${publicUrl}/api/v1/me answers ${answer.status}, and not from this service`,
        advice: 'let the proxy pass every path on to the service, as the files in deploy/ do',
      };
    }
    if (!answer.headers.has('strict-transport-security')) {
      return {
        ok: false,
        found: `${publicUrl} answers, but the service does not recognise the proxy`,
        advice:
          'set TRUST_PROXY to the address that the proxy connects from, and let it send X-Forwarded-For and X-Forwarded-Proto',
      };
    }
    const open = await Promise.all(
      INNER.map(async (path) => ((await ask(publicUrl + path)).ok ? [path] : [])),
    );
    if (open.flat().length > 0) {
      return {
        ok: false,
        found: `anybody can read ${open.flat().join(', ')} under ${publicUrl}`,
        advice: `let the proxy answer 404 to ${INNER.join(', ')}, as the files in deploy/ do`,
      };
    }
    return { ok: true, found: `${publicUrl} leads here` };
  } catch (error) {
    const warning = `${publicUrl} cannot be reached: ${reasonOf(error).trim()}`;
    return { ok: true, found: warning, warning };
  }
}

async function ask(address: string): Promise<Response> {
  return fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}
