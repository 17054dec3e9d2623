import { CommanderError, type Command } from 'commander';
import { KundebokCommand } from './cli/command.ts';
import { loadConfig, RELEASE, type Config } from './config.ts';

type AddCommands = (program: Command, config: () => Config) => void;

/** Keys are first words of commands. A start loads only the modules of its command: loading all takes 50 % longer. */
const COMMANDS: Record<string, () => Promise<AddCommands>> = {
  'serve migrate database-url openapi doctor': async () =>
    (await import('./service/commands.ts')).serviceCommands,
  workspace: async () => (await import('./workspaces/commands.ts')).workspaceCommands,
  user: async () => (await import('./members/commands.ts')).userCommands,
  key: async () => (await import('./keys/commands.ts')).keyCommands,
  company: async () => (await import('./companies/commands.ts')).companyCommands,
  contact: async () => (await import('./contacts/commands.ts')).contactCommands,
  changes: async () => (await import('./changes/commands.ts')).changesCommand,
  demo: async () => (await import('./demo/commands.ts')).demoCommand,
  'backup restore': async () => (await import('./backup/commands.ts')).backupCommands,
  'export import': async () => (await import('./export/commands.ts')).exportCommands,
  async register() {
    const { registerCommands } = await import('./register/commands.ts');
    const { companiesFollow } = await import('./companies/follow-register.ts');
    return (program, config) => registerCommands(program, config, companiesFollow);
  },
  distribute: async () => (await import('./distribute/commands.ts')).distributeCommand,
};

if (import.meta.main) {
  watchOutput();
  process.exitCode = await runCommand(process.argv.slice(2));
}

/**
 * `console.log` ignores a full disk: a command would end with 0 although its output, perhaps a new key, is lost. A
 * reader that is gone (EPIPE) is no failure.
 */
function watchOutput(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || process.listenerCount('exit', fail) > 0) return;
    console.error(`The output cannot be written: ${message}`);
    process.once('exit', fail);
  });
  // Standard error has progress and messages only: a backup is made even if they cannot be written.
  process.stderr.on('error', () => {});
}

function fail(): void {
  process.exitCode ||= 1;
}

/** Runs a command with the settings of the environment. @returns its exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args[0]);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { report } = await import('./cli/report.ts');
    return report(error, args.includes('--json'));
  }
}

/** @param first the first argument; where it is not a command (`help`, say), the program has all commands */
async function createProgram(first: string | undefined): Promise<Command> {
  const program = new KundebokCommand('kundebok')
    .description('A CRM service for integrations. Settings come from the environment: see docs/settings.md.')
    .version(RELEASE)
    .exitOverride()
    // `report` prints failures, as text or as JSON.
    .configureOutput({ outputError: () => {} });
  if (first === '--version') return program;
  const called = Object.keys(COMMANDS).filter((names) => names.split(' ').includes(first ?? ''));
  for (const names of called.length > 0 ? called : Object.keys(COMMANDS)) {
    const add = await COMMANDS[names]!();
    add(program, loadConfig);
  }
  return program;
}
