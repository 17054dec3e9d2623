import { Command, type ErrorOptions } from 'commander';
import { isSetting } from '../config.ts';

/** A command whose errors name all missing options, and the setting that was given as an option. */
export class KundebokCommand extends Command {
  override createCommand(name?: string): KundebokCommand {
    return new KundebokCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(this.#explain(message, options?.code), options);
  }

  #explain(message: string, code: string | undefined): string {
    if (code === 'commander.missingMandatoryOptionValue') return this.#nameMissing();
    return (code === 'commander.unknownOption' && nameSetting(message)) || message;
  }

  /** Commander itself ends at the first. */
  #nameMissing(): string {
    return this.options
      .filter((option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined)
      .map(({ flags }) => `required option '${flags}' not specified`)
      .join('\n');
  }
}

/** Without the value, which may contain a password. */
function nameSetting(message: string): string | undefined {
  const [, option = ''] = /'--([a-z-]+)/.exec(message) ?? [];
  const name = option.replaceAll('-', '_').toUpperCase();
  return isSetting(name) ? `unknown option '--${option}': set ${name} in the environment` : undefined;
}
