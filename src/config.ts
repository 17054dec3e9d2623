import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { findUnreadable, InvalidAddress, parseAddress } from './db/address.ts';
import { isLoopback } from './http/address.ts';
import { oneOf, readTracing, webAddress } from './tracing/settings.ts';

/** The version of this release. */
export const RELEASE: string = manifest.version;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Names every invalid setting. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const USUAL_CONNECTIONS = 10;

const MAX_WORKERS = 128;
const WORKERS_FORM = `must be a whole number from 1 to ${MAX_WORKERS}, or auto`;

const workers = z
  .string()
  .regex(/^(?:auto|\d{1,3})$/, WORKERS_FORM)
  .transform((text) => (text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : Number(text)))
  .refine((count) => count >= 1 && count <= MAX_WORKERS, WORKERS_FORM);

const databaseAddress = z.string().superRefine((text, context) => {
  try {
    const unreadable = findUnreadable(parseAddress(text).url);
    if (unreadable) {
      const { name, error } = unreadable;
      context.addIssue(`names a file in ${name} that cannot be read (${error.code})`);
    }
  } catch (error) {
    if (!(error instanceof InvalidAddress)) throw error;
    context.addIssue(error.message);
  }
});

const rateLimit = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,8}\/[1-9]\d{0,4})$/, 'must be <requests>/<seconds>, for example 1000/10, or off')
  .transform((text) => {
    if (text === 'off') return 'off' as const;
    const [requests, seconds] = text.split('/');
    return { requests: Number(requests), seconds: Number(seconds) };
  });

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const interval = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, 'must be a number of minutes, hours or days, for example 30m, 24h or 7d')
  .transform((text) => Number(text.slice(0, -1)) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS]);

/** An address, or a network as address/length. Forms such as 10 or ::ffff:10.0.0.0/64 would match nothing. */
function isNetwork(entry: string): boolean {
  const [address = ''] = entry.split('/');
  if (isIP(address) === 0 || /^::ffff:.*\//i.test(entry)) return false;
  return entry === address || ipaddr.isValidCIDR(entry);
}

const proxies = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine(
    (entries) => entries.every(isNetwork),
    'must be addresses or networks with commas between them, for example 10.0.0.7,fd00::/8',
  )
  .refine(
    (entries) => !entries.some((entry) => /\/0+$/.test(entry)),
    'must not trust every address: name the network of the proxy',
  );

/** `fetch` refuses an address with a password, with a message that repeats it. */
function hasPassword(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** An address that paths are appended to. */
const baseAddress = webAddress.pipe(
  z
    .string()
    .refine(
      (text) => !/[?#]/.test(text) && !hasPassword(text),
      'must not have a user name, a password, ? or #',
    ),
);

/** The address of the identity provider. Without TLS, anyone on the network could sign in as anybody. */
const issuer = z
  .string()
  .refine((text) => {
    const address = URL.parse(text);
    return address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(address.hostname));
  }, 'must be an address that starts with https:// (http:// only on localhost)')
  .pipe(z.string().refine((text) => !hasPassword(text), 'must not have a user name or a password'));

const settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65535).prefault('3000'),
  PUBLIC_URL: baseAddress
    .pipe(z.string().refine((text) => new URL(text).pathname === '/', 'must not have a path'))
    .optional(),
  WORKERS: workers.prefault('1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: databaseAddress.optional(),
  DATABASE_CONNECTIONS: wholeNumber(1, 1000).optional(),
  REGISTER: oneOf(['sandbox', 'national']).default('sandbox'),
  REGISTER_URL: baseAddress.default('https://data.brreg.no/enhetsregisteret/api'),
  REGISTER_CONTACT: z
    .string()
    .max(200, 'must be at most 200 characters')
    .regex(/^[\x20-\x7e]*$/, 'must be ASCII')
    .default(''),
  RATE_LIMIT: rateLimit.prefault('1000/10'),
  CHANGES_KEPT_DAYS: wholeNumber(1, 36_500).prefault('90'),
  NOTES_KEPT_DAYS: wholeNumber(1, 36_500).optional(),
  TASKS_KEPT_DAYS: wholeNumber(1, 36_500).optional(),
  BACKUP_FOLDER: z.string().optional(),
  BACKUP_EVERY: interval.prefault('24h'),
  BACKUP_KEEP: wholeNumber(1, 10_000).prefault('14'),
  BACKUP_REGISTER: oneOf(['yes', 'no']).default('no'),
  TRUST_PROXY: proxies.default([]),
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  SLOW_REQUEST_MS: wholeNumber(1, 3_600_000).prefault('1000'),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
});

export function isSetting(name: string): boolean {
  return Object.hasOwn(settings.shape, name);
}

/** Settings that are only valid together. */
const complete = settings.superRefine(
  (values, context) => {
    const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
    const missing = names.filter((name) => values[name] === undefined);
    if (missing.length === names.length) return;
    for (const name of missing) {
      context.addIssue({ code: 'custom', path: [name], message: 'is needed with the other OIDC settings' });
    }
  },
  // Zod would skip this check where a single setting is invalid.
  { when: () => true },
);

/**
 * Reads all settings from the environment; an empty setting counts as absent.
 * @throws {InvalidConfig} naming every invalid setting, without values, which may contain a password
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { data: values, error } = complete.safeParse(present);
  const { tracing, faults } = readTracing(present);
  if (error) faults.unshift(...error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  if (!values || faults.length > 0) throw new InvalidConfig(faults);
  return {
    host: values.HOST,
    port: values.PORT,
    /** The address under which people reach the service, without a final slash; undefined for `http://host:port`. */
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
    /** How many processes answer requests. */
    workers: values.WORKERS,
    /** Absolute path. */
    dataDir: resolve(values.DATA_DIR),
    /** Undefined: the embedded PostgreSQL under `dataDir`. */
    databaseUrl: values.DATABASE_URL,
    /** Maximum number of connections of one process to PostgreSQL. */
    databaseConnections: values.DATABASE_CONNECTIONS ?? connectionsFor(values.DATABASE_URL),
    register: values.REGISTER,
    /** Base address of the national register's API, without a final slash. */
    registerUrl: values.REGISTER_URL.replace(/\/+$/, ''),
    /** Sent to the national register in User-Agent, so that the register can reach the operator. */
    registerContact: values.REGISTER_CONTACT,
    rateLimit: values.RATE_LIMIT,
    /** Days for which entries of the change log are kept. */
    changesKeptDays: values.CHANGES_KEPT_DAYS,
    /** Days for which notes, and tasks that are done, are kept; undefined: for good. */
    notesKeptDays: values.NOTES_KEPT_DAYS,
    tasksKeptDays: values.TASKS_KEPT_DAYS,
    /** Undefined: the service makes no backups by itself. */
    backup:
      values.BACKUP_FOLDER === undefined
        ? undefined
        : {
            folder: resolve(values.BACKUP_FOLDER),
            everyMs: values.BACKUP_EVERY,
            keep: values.BACKUP_KEEP,
            withRegister: values.BACKUP_REGISTER === 'yes',
          },
    /** Addresses and networks of proxies whose X-Forwarded headers are trusted. */
    trustProxy: values.TRUST_PROXY,
    /** The identity provider (OpenID Connect) where people may sign in; undefined for none. */
    singleSignOn:
      values.OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: values.OIDC_ISSUER,
            clientId: values.OIDC_CLIENT_ID!,
            clientSecret: values.OIDC_CLIENT_SECRET!,
          },
    /** A request that takes longer has its statements in the log. */
    slowRequestMs: values.SLOW_REQUEST_MS,
    logLevel: values.LOG_LEVEL,
    /** Undefined where no traces are sent. */
    tracing,
  };
}

export type Config = ReturnType<typeof loadConfig>;

/** `folder` is an absolute path; the newest `keep` files stay in it. */
export type BackupSettings = NonNullable<Config['backup']>;

/**
 * Connections where no number is set. More statements at once than the embedded PostgreSQL has cores for would only
 * take turns with each other and with this process, which shares the cores.
 */
function connectionsFor(databaseUrl: string | undefined): number {
  return databaseUrl === undefined
    ? Math.min(2 * availableParallelism() + 2, USUAL_CONNECTIONS)
    : USUAL_CONNECTIONS;
}

/** The address under which people reach the service, as far as the settings say. */
export function publicUrlOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== undefined) return publicUrl;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/** Whether DATABASE_URL is set; without it the database is the embedded one. */
export function hasDatabaseUrl(): boolean {
  return Boolean(process.env['DATABASE_URL']);
}

/** The settings that locate the data and that links begin with, as `NAME=value` for a shell; those not set are left out. */
export function settingsForCommands(): string[] {
  return ['DATA_DIR', 'HOST', 'PORT', 'PUBLIC_URL'].flatMap((name) => {
    const value = process.env[name];
    return value ? [`${name}=${quoted(value)}`] : [];
  });
}

function quoted(value: string): string {
  return /^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
