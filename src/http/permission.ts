/** What an operation requires of a key, or of a person. */
export type Permission = {
  /** For people, in the description of the operation. */
  readonly title: string;
  /**
   * The permissions that the mask lacks, as the command line and the application name them.
   * @param role of the person, or of the key's creator
   */
  missingFrom(mask: number, role?: string): readonly string[];
};

/**
 * Whether a bit of a permission mask is set. Arithmetic, because JavaScript's bit operators work on 32 bits.
 * @param mask a safe integer; a negative mask grants nothing
 */
export function hasBit(mask: number, bit: number): boolean {
  return mask >= 0 && Math.floor(mask / 2 ** bit) % 2 === 1;
}
