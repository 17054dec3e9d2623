import ipaddr from 'ipaddr.js';

/** What is no address: a client that is gone, or what a proxy hands on in a form of its own. They share a limit. */
const UNKNOWN = 'unknown';

/**
 * What a stranger's limit counts: an IPv4 address, or the /64 network of an IPv6 address, of which one host may
 * use every address. Some proxies add the port.
 */
export function networkOf(address: string | undefined): string {
  const bare = address?.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  if (bare === undefined || !ipaddr.isValid(bare)) return UNKNOWN;
  const parsed = ipaddr.process(bare);
  if (!('parts' in parsed)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
