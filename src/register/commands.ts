import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { printFindings } from '../cli/findings.ts';
import { CommandError, printResult } from '../cli/output.ts';
import { publicUrlOf, type Config } from '../config.ts';
import { checkRegister } from './check.ts';
import { importCommand } from './import-command.ts';
import { syncAlone } from './mirror/follow.ts';
import type { Followers } from './mirror/outcomes.ts';
import { mirrorStatus } from './mirror/status.ts';
import { refreshAfterImport } from './mirror/sync.ts';
import { openNational, sourceOf, syncOptions } from './open.ts';
import { RegisterUnavailable } from './register.ts';
import { sandboxRegister } from './sandbox/sandbox.ts';

/** `register import`, `register sync`, `register status`, `register check` */
export function registerCommands(program: Command, config: () => Config, followers: Followers): void {
  const register = program.command('register').description('the mirror of the national register');
  importCommand(register, config, (db) => refreshAfterImport(db, followers));
  register
    .command('sync')
    .description('bring the mirror up to date from the feed of changes; the service does so by itself')
    .option('--json', 'print JSON')
    .action(async (options) => printResult(await sync(config(), followers), options));
  register
    .command('status')
    .description(
      'show the source, the mirror, the feeds, numbers that could not be read and, while the service runs, its circuit breaker',
    )
    .option('--json', 'print JSON')
    .action(async (options) => printResult(await status(config()), options));
  register
    .command('check')
    .description('ask the national register for one of each thing the service needs, before going live')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const settings = config();
      printFindings(await checkRegister(openNational(settings), sourceOf(settings)), options);
    });
}

async function sync(config: Config, followers: Followers): Promise<{ changes: number }> {
  const result = await withDatabase(config, (db, url) =>
    syncAlone(url, syncOptions(config, db, followers)),
  ).catch((cause: unknown) => {
    if (!(cause instanceof RegisterUnavailable)) throw cause;
    const advice = 'What was already read is kept; try again later';
    throw new CommandError(`The mirror is not up to date: ${cause.message}. ${advice}`, { cause });
  });
  if (result) return result;
  throw new CommandError('There is no mirror of the register: see kundebok register import --help');
}

async function status(config: Config): Promise<Record<string, unknown>> {
  if (config.register === 'sandbox') {
    const { source, facts } = await sandboxRegister().status();
    return { source, ...facts };
  }
  const { source, facts } = await withDatabase(config, (db) => mirrorStatus(db, openNational(config)));
  return { source, ...facts, breaker: await readServiceBreaker(config) };
}

/** The circuit breaker is in the service's process, which shows it in its metrics. */
async function readServiceBreaker({ host, port }: Config): Promise<string> {
  const address = publicUrlOf({ publicUrl: undefined, host, port });
  const metrics = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(1_000) })
    .then((response) => response.text())
    .catch(() => '');
  const value = /^register_breaker_open (\S+)$/m.exec(metrics)?.[1];
  if (value === undefined) return `unknown: no service answers on ${address}`;
  return { '0': 'closed', '0.5': 'half-open', '1': 'open' }[value] ?? value;
}
