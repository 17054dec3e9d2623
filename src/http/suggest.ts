/** Longer than any field name with a typo. */
const MAX_LENGTH = 64;

/**
 * The known name that an unknown one probably stands for. It differs in case, in separators or by one typo; or it
 * is the only known name whose words contain those of the unknown name or are contained in them.
 */
export function suggest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const normal = normalize(name);
  const alike = known.find((candidate) => normalize(candidate) === normal || isOneTypoApart(name, candidate));
  if (alike !== undefined) return alike;
  const words = wordsOf(name);
  // `id` is a word of too many names.
  const related = known.filter(
    (candidate) =>
      candidate !== 'id' && (wordsOf(candidate).includes(words) || words.includes(wordsOf(candidate))),
  );
  return related.length === 1 ? related[0] : undefined;
}

/** `_company_id_` for `companyId`. */
function wordsOf(name: string): string {
  return `_${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}_`;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** Whether one letter was added, left out or replaced, or two neighbours were swapped. */
function isOneTypoApart(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (Math.max(left.length, right.length) <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
