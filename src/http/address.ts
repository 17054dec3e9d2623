import ipaddr from 'ipaddr.js';

/**
 * What a stranger's limit counts: an IPv4 address, or the /64 network of an IPv6 address, of which one host may
 * use every address.
 */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
