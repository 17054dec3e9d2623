import type { QueryClient } from '@tanstack/react-query';

const shown = new Set<() => void>();

/**
 * Shows a change whose write is not answered yet, and again when an answer comes that may know nothing of it.
 * @param show changes cached answers; can be repeated
 * @returns a function that ends this, to be called once the write is answered
 */
export function showUnanswered(show: () => void): () => void {
  shown.add(show);
  show();
  return () => void shown.delete(show);
}

/** Shows all of these again. */
export function showAllUnanswered(): void {
  for (const show of shown) show();
}

export function keepUnanswered(client: QueryClient): void {
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
    showAllUnanswered();
  });
}
