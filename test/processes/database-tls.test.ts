import { copyFile, mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { newKey } from '../../src/keys/key.ts';
import { endWithFile, kundebok, kundebokHere, ownDatabase, startService } from '../service.ts';
import { makeCertificate, startTlsFront } from './tls-front.ts';

endWithFile();

const certificate = join(await mkdtemp(join(tmpdir(), 'kundebok-')), 'server');
const hasOpenssl = makeCertificate('localhost', certificate);
const AUTHORITY = `sslrootcert=${certificate}.crt`;
if (!hasOpenssl) process.stderr.write('SKIPPED: no openssl is installed; no database with TLS is tested\n');

const database = new URL(await ownDatabase());
const port = hasOpenssl
  ? await startTlsFront({ host: database.hostname, port: Number(database.port) }, certificate)
  : 0;

/** The address of the database behind TLS. */
function address(query: string, host = 'localhost'): { DATABASE_URL: string } {
  const url = new URL(database);
  url.hostname = host;
  url.port = String(port);
  url.search = query;
  return { DATABASE_URL: url.href };
}

/** Ends all connections to the database. */
async function cutAll(): Promise<void> {
  const client = new Client({ connectionString: database.href });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await client.end();
}

describe.skipIf(!hasOpenssl)('a database with TLS', () => {
  test.for(['require', 'verify-ca', 'verify-full', 'prefer'])(
    'is checked by the certificate of its authority, also as sslmode=%s, without a warning',
    async (mode) => {
      const settings = address(`sslmode=${mode}&${AUTHORITY}`);
      expect(await kundebok(['workspace', 'list'], settings)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('serves the service', async () => {
    const service = await startService(address(`sslmode=require&${AUTHORITY}`));
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    await service.stop();
  });

  test('is unavailable while the file of its authority cannot be read, and the service goes on', async () => {
    const file = `${certificate}.renewed`;
    await copyFile(`${certificate}.crt`, file);
    const service = await startService(address(`sslmode=require&sslrootcert=${file}`));
    // A key that is not known is looked up.
    const ask = async () => {
      const headers = { authorization: `Bearer ${newKey().token}` };
      return (await fetch(`${service.origin}/api/v1/companies`, { headers })).status;
    };
    expect(await ask()).toBe(401);
    await rename(file, `${file}.away`);
    await cutAll();
    await expect.poll(ask).toBe(503);
    await expect.poll(async () => (await fetch(`${service.origin}/readyz`)).status).toBe(503);
    await rename(`${file}.away`, file);
    await expect.poll(ask).toBe(401);
    await service.stop();
  });

  test.for(['no-verify', 'require&uselibpqcompat=true'])(
    'is trusted without a check where that is asked for: sslmode=%s',
    async (mode) => {
      const { code, stderr } = await kundebok(['workspace', 'list'], address(`sslmode=${mode}`));
      expect([code, stderr]).toEqual([0, '']);
    },
  );

  test.for([
    [
      'that no authority has signed',
      address('sslmode=require'),
      /self-signed certificate/,
      'name the file of its certificate authority as sslrootcert in DATABASE_URL',
    ],
    [
      'of another name',
      address(`sslmode=require&${AUTHORITY}`, '127.0.0.1'),
      /altnames/,
      'use a name of the certificate as host in DATABASE_URL',
    ],
    ['that nobody has asked for', address(''), /no encryption/, 'add sslmode=require to DATABASE_URL'],
  ] as const)('and a certificate %s is refused, with what to do', async ([, settings, why, advice]) => {
    const { code, stderr } = await kundebok(['serve'], { ...settings, PORT: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(why);
    expect(stderr).toContain(`): ${advice}\n`);
    const { stdout } = await kundebokHere(['doctor', '--json'], settings);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ check: 'database', ok: false, advice }),
    );
  });
});

test('a database without TLS is refused where TLS is asked for, with what to do', async () => {
  const plain = new URL(database);
  plain.search = 'sslmode=require';
  const { code, stderr } = await kundebokHere(['workspace', 'list'], { DATABASE_URL: plain.href });
  expect([code, stderr]).toEqual([
    1,
    'The database refuses the connection (The server does not support SSL connections): turn on TLS at the server, or set sslmode=disable in DATABASE_URL\n',
  ]);
});
