import { useQuery } from '@tanstack/react-query';

type Answers<Found> = {
  /** What fits the text as it is now; undefined until that is known. */
  found: readonly Found[] | undefined;
  /** What fitted an earlier text, to be seen but not chosen from. */
  earlier: readonly Found[];
  error: unknown;
};

/** What the service is asked to search for when this is typed. */
export function searchText(typed = ''): string {
  return typed.trim().slice(0, 100);
}

/**
 * Searches for what is typed. Somebody who types fast and presses Enter chooses from the answer to the whole text, or
 * from nothing.
 */
export function useAnswers<Found>(
  searchKey: readonly string[],
  typed: string,
  search: (text: string, signal: AbortSignal) => Promise<readonly Found[]>,
  { minLength = 0 }: { minLength?: number } = {},
): Answers<Found> {
  const text = searchText(typed);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [...searchKey, text],
    queryFn: ({ signal }) => search(text, signal),
    enabled: text.length >= minLength,
    retry: false,
  });
  const isCurrent = data !== undefined && !isPlaceholderData && text.length >= minLength;
  return { found: isCurrent ? data : undefined, earlier: data ?? [], error };
}
