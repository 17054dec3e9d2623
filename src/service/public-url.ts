import { reasonOf } from '../db/unavailable.ts';
import type { Config } from '../config.ts';
import { isLoopback } from '../http/address.ts';
import type { Finding } from '../cli/findings.ts';

const TIMEOUT_MS = 3_000;

/** Paths that a proxy must not expose. The service decodes paths, so it answers the second like the first. */
const INNER = ['/metrics', '/%6Detrics', '/healthz', '/readyz'];

/** Statuses with which proxies answer when the service behind them does not. */
const UNREACHED = new Set([502, 503, 504]);

/**
 * Calls the service at the address that people use, which leads through a proxy with TLS. A proxy or a service
 * that is not there yet is a warning, because `doctor` is also run before the first start.
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
  if (trustProxy.length === 0) {
    // As in compose.yaml by default: the service is used on this machine only, without a proxy.
    if (isLoopback(new URL(publicUrl).hostname)) return [];
    const warning = findExposure(publicUrl);
    // The service itself may be at that address.
    if (warning !== undefined) return [{ check: 'proxy', ok: true, found: warning, warning }];
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

/** What is sent without TLS can be read on its way, unless it stays on the machine. */
function findExposure(publicUrl: string): string | undefined {
  if (hasTls(publicUrl) || isLoopback(new URL(publicUrl).hostname)) return undefined;
  return `${publicUrl} has no TLS: keys and passwords could be read in transit`;
}

function hasTls(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === 'https:';
}

async function findProxyFault(publicUrl: string): Promise<Omit<Finding, 'check'>> {
  try {
    const answer = await ask(`${publicUrl}/api/v1/me`);
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    if (UNREACHED.has(answer.status) && code === undefined) {
      return {
        ok: true,
        found: `${publicUrl}/api/v1/me answers ${answer.status}`,
        warning: 'the proxy does not reach the service: start the service, or check its address in the proxy',
      };
    }
    if (answer.status !== 401 || code !== 'unauthorized') {
      return {
        ok: false,
        found: `${publicUrl}/api/v1/me answers ${answer.status}, and not from this service`,
        advice: 'let the proxy pass every path on to the service, as the files in deploy/ do',
      };
    }
    // The service sends this header only over TLS: without TLS, nothing shows whether it recognises the proxy.
    if (hasTls(publicUrl) && !answer.headers.has('strict-transport-security')) {
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
    const warning = findExposure(publicUrl);
    return { ok: true, found: `${publicUrl} leads here`, ...(warning !== undefined && { warning }) };
  } catch (error) {
    const warning = `${publicUrl} cannot be reached: ${reasonOf(error).trim()}`;
    return { ok: true, found: warning, warning };
  }
}

async function ask(address: string): Promise<Response> {
  return fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}
