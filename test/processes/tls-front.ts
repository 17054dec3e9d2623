import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll } from 'vitest';

/**
 * Makes a certificate that is its own authority, as `path`.crt and `path`.key.
 * @returns whether openssl is installed
 */
export function makeCertificate(name: string, path: string): boolean {
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${path}.key`];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2'];
  return spawnSync('openssl', ['req', '-x509', ...key, ...subject, '-out', `${path}.crt`]).status === 0;
}

/** The first bytes of a client that asks for TLS. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

/** What PostgreSQL answers to clients without TLS where pg_hba.conf has `hostssl` alone. */
const NO_ENCRYPTION = 'no pg_hba.conf entry for host "127.0.0.1", user "kari", database "crm", no encryption';
const REFUSAL = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${NO_ENCRYPTION}\0\0`);

/**
 * Takes connections for a PostgreSQL without TLS, by TLS alone. It ends with the test file.
 * @param certificate a path to which `makeCertificate` has written
 * @returns the port, on all addresses of this machine
 */
export async function startTlsFront(
  to: { host: string; port: number },
  certificate: string,
): Promise<number> {
  const [cert, key] = await Promise.all([readFile(`${certificate}.crt`), readFile(`${certificate}.key`)]);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => undefined);
    client.once('data', (first: Buffer) => {
      if (!first.equals(SSL_REQUEST)) {
        const length = Buffer.alloc(4);
        length.writeInt32BE(REFUSAL.length + 4);
        client.end(Buffer.concat([Buffer.from('E'), length, REFUSAL]));
        return;
      }
      client.write('S');
      const secured = new TLSSocket(client, { cert, key, isServer: true });
      const upstream = connect(to);
      // The end of either side ends both; a client that does not trust the certificate hangs up.
      for (const side of [secured, upstream]) side.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      secured.pipe(upstream).pipe(secured);
    });
  });
  await once(server.listen(0), 'listening');
  afterAll(() => {
    server.close();
    for (const client of open) client.destroy();
  });
  return (server.address() as AddressInfo).port;
}
