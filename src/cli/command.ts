import { Command, type ErrorOptions } from 'commander';

/** A command that names all missing options at once; commander itself ends at the first. */
export class KundebokCommand extends Command {
  override createCommand(name?: string): KundebokCommand {
    return new KundebokCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(
      options?.code === 'commander.missingMandatoryOptionValue' ? this.#nameMissing() : message,
      options,
    );
  }

  #nameMissing(): string {
    return this.options
      .filter((option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined)
      .map(({ flags }) => `required option '${flags}' not specified`)
      .join('\n');
  }
}
