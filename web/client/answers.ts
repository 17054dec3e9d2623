import { useQuery } from '@tanstack/react-query';

type Answers<Found> = {
  /** Results for the text as it is now; undefined until they have arrived. */
  found: readonly Found[] | undefined;
  /** Results for an earlier text: shown, but they cannot be chosen. */
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
