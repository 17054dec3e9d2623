import type { QueryClient } from '@tanstack/react-query';

const shown = new Set<() => void>();

/**
 * Shows a change before its write is answered, and again after each answer that may be from before the write.
 * @param show changes cached answers; can be repeated
 * @returns a function that ends this, to be called once the write is answered
 */
export function showUnanswered(show: () => void): () => void {
  shown.add(show);
  show();
  return () => void shown.delete(show);
}

/** Shows all unanswered changes again. */
export function showAllUnanswered(): void {
  for (const show of shown) show();
}

export function keepUnanswered(client: QueryClient): void {
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
    showAllUnanswered();
  });
}
