import { readFileSync } from 'node:fs';
import { Client } from 'pg';

/** One server of an address; `host` is a name, an IP address, or the folder of a Unix socket. */
export type Host = { host: string; port: number };

/** A postgres:// address as PostgreSQL's own clients read it, also with several hosts or a socket folder. */
type DatabaseAddress = {
  /** The same address with the first host only, which is what `pg` understands. */
  url: string;
  hosts: readonly Host[];
  /** Of several hosts, only one that accepts writes is used. */
  mustTakeWrites: boolean;
};

/** Says what is wrong with an address without repeating any of it: it may contain a password. */
export class InvalidAddress extends Error {
  override readonly name = 'InvalidAddress';
}

const SCHEME = /^postgres(?:ql)?:\/\//;

/** Unencoded, these end a password, so that what follows is read as something else. */
const ENCODE_PASSWORD =
  'must have user and password percent-encoded in UTF-8: # as %23, % as %25, / as %2F, ? as %3F, @ as %40';

const ADDRESS_FORMAT =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#]*)(?<database>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/;

/** The service writes, so `read-only` and `standby` are of no use. */
const SESSION_ATTRS = ['any', 'read-write', 'primary'];

/**
 * `no-verify` exists in `pg` alone. In every mode but that one and `disable`, `pg` checks the certificate; it warns of
 * those modes in which PostgreSQL's own clients check less.
 */
const UNCHECKED_MODES = new Set(['disable', 'no-verify']);
const CHECKED_MODES = new Set(['allow', 'prefer', 'require', 'verify-ca', 'verify-full']);

/** @throws {InvalidAddress} */
export function parseAddress(text: string): DatabaseAddress {
  const parts = ADDRESS_FORMAT.exec(text)?.groups;
  if (!parts) {
    throw new InvalidAddress(
      SCHEME.test(text)
        ? ENCODE_PASSWORD
        : 'must be an address that starts with postgres:// or postgresql://',
    );
  }
  if (isCutPassword(parts)) throw new InvalidAddress(ENCODE_PASSWORD);
  const query = new URLSearchParams(parts['query'] ?? '');
  const attrs = query.get('target_session_attrs') ?? 'read-write';
  if (!SESSION_ATTRS.includes(attrs)) {
    throw new InvalidAddress(`must have a target_session_attrs of ${SESSION_ATTRS.join(', ')}`);
  }
  demandCertificate(query);
  const hosts = hostsOf(parts['hosts'] ?? '', query.get('host'), query.get('port'));
  for (const name of ['host', 'port', 'target_session_attrs']) query.delete(name);

  const user = parts['user'] === undefined ? '' : `${parts['user']}@`;
  const { host, port } = hosts[0]!;
  const plain = `${parts['scheme']}${user}${inUrl(host)}:${port}${parts['database'] ?? ''}`;
  const url = query.size > 0 ? `${plain}?${query.toString()}` : plain;
  if (!URL.canParse(url)) throw new InvalidAddress('must have user, password and hosts percent-encoded');
  requireDecodable(plain);
  return { url, hosts, mustTakeWrites: attrs !== 'any' };
}

/** Only `pg` knows which escapes it decodes: a % that begins none stands for itself. @throws {InvalidAddress} */
function requireDecodable(connectionString: string): void {
  try {
    void new Client({ connectionString });
  } catch (cause) {
    throw new InvalidAddress(ENCODE_PASSWORD, { cause });
  }
}

/** @throws {InvalidAddress} when there is no such mode */
function demandCertificate(query: URLSearchParams): void {
  const mode = query.get('sslmode');
  if (mode === null || UNCHECKED_MODES.has(mode)) return;
  if (!CHECKED_MODES.has(mode)) {
    throw new InvalidAddress(
      `must have an sslmode of ${[...UNCHECKED_MODES.union(CHECKED_MODES)].join(', ')}`,
    );
  }
  if (query.get('uselibpqcompat') !== 'true') query.set('sslmode', 'verify-full');
}

/** Whether the port is the start of a password: it is not a port number, and an @ comes only after it. */
function isCutPassword({
  user,
  hosts,
  database = '',
  query = '',
}: Record<string, string | undefined>): boolean {
  return (
    user === undefined &&
    /^[^:,[]+:(?!\d{0,5}(?:,|$))/.test(hosts ?? '') &&
    `${database}${query}`.includes('@')
  );
}

/** Reads hosts as libpq does: `host` and `port` of the query take precedence, and one port applies to all hosts. */
function hostsOf(authority: string, host: string | null, port: string | null): Host[] {
  const named = splitList(host ?? authority).map((entry) =>
    host === null ? splitPort(entry) : { host: entry, port: '' },
  );
  if (named.some((entry) => entry.host === '')) {
    throw new InvalidAddress('must name a host, or a socket folder as ?host=/run/postgresql');
  }
  const ports = port === null ? undefined : splitList(port);
  if (ports && ports.length !== 1 && ports.length !== named.length) {
    throw new InvalidAddress('must have one port, or one for each host');
  }
  return named.map((entry, index) => ({
    host: entry.host,
    port: portOf(ports ? (ports[index] ?? ports[0]!) : entry.port),
  }));
}

function splitList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function splitPort(entry: string): { host: string; port: string } {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(entry) ?? [];
  try {
    return { host: bracketed ?? decodeURIComponent(plain ?? ''), port };
  } catch (cause) {
    throw new InvalidAddress('must have user, password and hosts percent-encoded', { cause });
  }
}

/** The port that is named, or else the default of `pg`: PGPORT, or 5432. */
function portOf(named: string): number {
  const text = named || String(new Client().port);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new InvalidAddress(
      named ? 'must have ports from 1 to 65535' : 'has no port, and PGPORT is not one',
    );
  return port;
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}

export type Unreadable = { name: string; error: NodeJS.ErrnoException };

/**
 * The first file of a certificate or key that an address names and that cannot be read. `pg` reads them for each
 * connection, in its constructor, which the pool calls where nothing would catch an error.
 */
export function findUnreadable(url: string): Unreadable | undefined {
  const { searchParams } = new URL(url);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    try {
      const path = searchParams.get(name);
      if (path) readFileSync(path);
    } catch (error) {
      return { name, error: error as NodeJS.ErrnoException };
    }
  }
  return undefined;
}
