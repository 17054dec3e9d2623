import ipaddr from 'ipaddr.js';

/** Stands for every invalid address: a client that is gone, or a proxy's own format. They share one limit. */
const UNKNOWN = 'unknown';

/**
 * The subject of the limit by address: an IPv4 address, or the /64 network of an IPv6 address, of which one host may
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

/** Whether a host can be reached only from this machine. In a URL, an IPv6 address is in brackets. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return (
    address === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')
  );
}
