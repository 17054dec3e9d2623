/** What an operation asks of a key, or of a person. */
export type Permission = {
  /** For people, in the description of the operation. */
  readonly title: string;
  /**
   * What the mask lacks, in the words of the command line and the application; empty when it suffices.
   * @param role of the person, or of the key's creator
   */
  missingFrom(mask: number, role?: string): readonly string[];
};

/**
 * Whether a bit of a permission mask is set. Arithmetic, because JavaScript's bit operators cut at 32 bits.
 * @param mask a safe integer; a negative mask grants nothing
 */
export function hasBit(mask: number, bit: number): boolean {
  return mask >= 0 && Math.floor(mask / 2 ** bit) % 2 === 1;
}
