import type { Command } from 'commander';
import { companiesFollow } from '../companies/follow-register.ts';
import type { Config } from '../config.ts';
import { syncAlone, SyncUnderWay } from '../register/mirror/follow.ts';
import { mirroredRegister } from '../register/mirror/look-up.ts';
import { openNational, sourceOf, syncOptions } from '../register/open.ts';
import { RegisterUnavailable } from '../register/register.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';
import { refreshAfterImport } from '../register/mirror/sync.ts';
import { withDatabase } from './database.ts';
import { printFindings } from './findings.ts';
import { CommandError, printResult } from './output.ts';
import { checkRegister } from './register-check.ts';
import { importCommand } from './register-import.ts';

/** `register import`, `register sync`, `register status`, `register check` */
export function registerCommands(program: Command, config: () => Config): void {
  const register = program.command('register').description('the mirror of the national register');
  importCommand(register, config, (db) => refreshAfterImport(db, companiesFollow));
  register
    .command('sync')
    .description('bring the mirror up to date from the feed of changes; the service does so by itself')
    .option('--json', 'print JSON')
    .action(async (options) => printResult(await sync(config()), options));
  register
    .command('status')
    .description('source, mirror, feeds, numbers set aside and, when the service runs, its breaker')
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

async function sync(config: Config): Promise<{ changes: number }> {
  try {
    const done = await withDatabase(config, (db, url) =>
      syncAlone(url, syncOptions(config, db, companiesFollow)),
    );
    if (!done)
      throw new CommandError('There is no mirror of the register: see kundebok register import --help');
    return done;
  } catch (error) {
    if (error instanceof SyncUnderWay) throw new CommandError(error.message, { cause: error });
    if (error instanceof RegisterUnavailable) {
      throw new CommandError(
        `The mirror is not up to date: ${error.message}. What was read before stands; try again later`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

async function status(config: Config): Promise<Record<string, unknown>> {
  const { source, facts } = await registerStatus(config);
  return { source, ...facts, ...(source === 'national' && { breaker: await breakerOfService(config) }) };
}

/** The state of the register the settings name, as this process and the database know it. */
async function registerStatus(config: Config) {
  if (config.register === 'sandbox') return sandboxRegister().status();
  return withDatabase(config, (db) =>
    mirroredRegister(db, openNational(config), companiesFollow.forget).status(),
  );
}

/** The breaker lives in the service; its metrics tell. */
async function breakerOfService({ host, port }: Config): Promise<string> {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host;
  const metrics = await fetch(`http://${shown}:${port}/metrics`, { signal: AbortSignal.timeout(1_000) })
    .then((response) => response.text())
    .catch(() => '');
  const value = /^register_breaker_open (\S+)$/m.exec(metrics)?.[1];
  if (value === undefined) return `unknown: no service answers on ${host}:${port}`;
  return { '0': 'closed', '0.5': 'half-open', '1': 'open' }[value] ?? value;
}
