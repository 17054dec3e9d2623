import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { InvalidAddress, parseAddress } from './address.ts';

const hostsOf = (text: string) => parseAddress(text).hosts.map(({ host, port }) => `${host} ${port}`);

describe('hosts of an address', () => {
  test.for<[string, string[]]>([
    ['postgres://kari:secret@db.example.no/crm', ['db.example.no 5432']],
    ['postgresql://db.example.no:6432/crm', ['db.example.no 6432']],
    ['postgres://a:1,b:2,c/crm', ['a 1', 'b 2', 'c 5432']],
    ['postgres://[::1]:5433,[fd00::2]/crm', ['::1 5433', 'fd00::2 5432']],
    ['postgres:///crm?host=/run/postgresql', ['/run/postgresql 5432']],
    ['postgres:///crm?host=/run/postgresql&port=5433', ['/run/postgresql 5433']],
    ['postgresql://kari@%2Frun%2Fpostgresql/crm', ['/run/postgresql 5432']],
    ['postgresql://kari@%2Frun%2Fpostgresql:5433/crm', ['/run/postgresql 5433']],
    ['postgres:///crm?host=a,b&port=1,2', ['a 1', 'b 2']],
    ['postgres:///crm?host=a,b&port=7', ['a 7', 'b 7']],
    ['postgres://ignored/crm?host=a', ['a 5432']],
    ['postgres://a:1,b:2/crm?user=kari@example.no', ['a 1', 'b 2']],
  ])('%s', ([text, hosts]) => {
    expect(hostsOf(text)).toEqual(hosts);
  });

  test('a port that an address leaves out is that of PGPORT, as for clients of PostgreSQL', () => {
    vi.stubEnv('PGPORT', '5433');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(hostsOf('postgres://a,b:1,[::1]/crm')).toEqual(['a 5433', 'b 1', '::1 5433']);
    expect(parseAddress('postgres://a/crm').url).toBe('postgres://a:5433/crm');
    vi.stubEnv('PGPORT', 'none');
    expect(() => parseAddress('postgres://a/crm')).toThrow('has no port, and PGPORT is not one');
  });

  test('the url that remains is that of the first host, without target_session_attrs', () => {
    const { url } = parseAddress(
      'postgres://kari:p%40ss@a:1,b:2/crm?sslmode=disable&target_session_attrs=primary',
    );
    expect(url).toBe('postgres://kari:p%40ss@a:1/crm?sslmode=disable');
    expect(parseAddress('postgres:///crm?host=/run/postgresql').url).toBe(
      'postgres://%2Frun%2Fpostgresql:5432/crm',
    );
  });

  test.for([
    ['sslmode=require&channel_binding=require', 'sslmode=verify-full&channel_binding=require'],
    ['sslmode=prefer', 'sslmode=verify-full'],
    ['sslmode=no-verify', 'sslmode=no-verify'],
    ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
  ])('%s means %s', ([query, meant]) => {
    expect(parseAddress(`postgres://a/crm?${query}`).url).toBe(`postgres://a:5432/crm?${meant}`);
  });

  test('a % that begins no escape stands for itself, as it does for pg', () => {
    const { url } = parseAddress('postgres://kari:50%off@a/crm');
    expect(new Client({ connectionString: url }).password).toBe('50%off');
  });

  test('of several hosts, one that takes writes is looked for unless target_session_attrs is any', () => {
    expect(parseAddress('postgres://a,b/crm').mustTakeWrites).toBe(true);
    expect(parseAddress('postgres://a,b/crm?target_session_attrs=read-write').mustTakeWrites).toBe(true);
    expect(parseAddress('postgres://a,b/crm?target_session_attrs=any').mustTakeWrites).toBe(false);
  });
});

test.for([
  'mysql://a/crm',
  'postgres:///crm',
  'postgres://a,/crm',
  'postgres://a:x/crm',
  'postgres://a:70000/crm',
  'postgres:///crm?host=a,b&port=1,2,3',
  'postgres://kari:se%cret@a/crm?target_session_attrs=standby',
  'postgres://kari:se%cret@a/crm?sslmode=required',
  'postgres://%zz/crm',
  'postgres://kari:se%E5cret@a/crm',
  'postgres://se%E5cret:kari@a/crm',
  'postgres://kari:secret%E5@a,b/crm?sslrootcert=/nowhere',
  'postgres://kari:secret@a/se%E5cret',
  'postgres://kari:secret@a/secret%',
  'not an address',
])('%s is refused by a message that does not repeat it', (text) => {
  expect(() => parseAddress(text)).toThrow(InvalidAddress);
  expect(() => parseAddress(text)).toThrow(/^must (?!.*cret)/);
});

test.for([
  'postgres://kari:se#cret@a/crm',
  'postgres://kari:se/cret@a/crm',
  'postgres://kari:se?cret@a/crm',
  'postgres://kari:1se/cret@a/crm',
  'postgres://kari:se%E5cret@a/crm',
  'postgres://kari:se/cret@a:5433,b/crm?target_session_attrs=any',
])('%s is refused for its password, neither for its start nor for its port', (text) => {
  expect(() => parseAddress(text)).toThrow(
    'must have user and password percent-encoded in UTF-8: # as %23, % as %25, / as %2F, ? as %3F, @ as %40',
  );
});
