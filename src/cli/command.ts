import { Command, Help, type ErrorOptions, type Option } from 'commander';
import { isSetting } from '../config.ts';

class KundebokHelp extends Help {
  override optionDescription(option: Option): string {
    const described = super.optionDescription(option);
    return option.mandatory ? `${described} (required)` : described;
  }
}

/**
 * A command whose help says which options are required, and whose errors name all that are missing, and the setting
 * that was given as an option.
 */
export class KundebokCommand extends Command {
  override createHelp(): Help {
    return Object.assign(new KundebokHelp(), this.configureHelp());
  }

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

  /** Commander itself names only the first. */
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
