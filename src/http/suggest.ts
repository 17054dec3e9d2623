/** The known name that a misspelt one was probably meant to be: other case, other separators, or one slip away. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const plain = plainOf(name);
  return known.find((candidate) => plainOf(candidate) === plain || isOneSlipApart(name, candidate));
}

/** Longer than any name with a slip in it. */
const MAX_LENGTH = 64;

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** Whether one letter was added, left out or replaced, or two neighbours were swapped. */
function isOneSlipApart(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [rest, otherRest] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (Math.max(rest.length, otherRest.length) <= 1) return true;
  return rest.length === 2 && otherRest.length === 2 && rest[0] === otherRest[1] && rest[1] === otherRest[0];
}
