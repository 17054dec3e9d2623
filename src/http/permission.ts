/** A permission that a key lacks, the role that a person lacks, or the roles of which a key's creator has none. */
export type Missing = string | { readonly ofCreator: readonly string[] };

/** What an operation requires of a key, or of a person. */
export type Permission = {
  /** For people, in the description of the operation. */
  readonly title: string;
  /**
   * What the mask and the role lack; permissions are named as on the command line and in the application.
   * @param role of the person, or of the key's creator
   * @param query as it was sent
   */
  missingFrom(mask: number, role?: string, query?: Readonly<Record<string, unknown>>): readonly Missing[];
};

/**
 * Whether a bit of a permission mask is set. Uses arithmetic, because JavaScript's bit operators work on 32 bits.
 * @param mask a safe integer; a negative mask grants nothing
 */
export function hasBit(mask: number, bit: number): boolean {
  return mask >= 0 && Math.floor(mask / 2 ** bit) % 2 === 1;
}
