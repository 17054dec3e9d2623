/** An import that was not published, told in words: what is in the way and what to do. The mirror is as before. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}
