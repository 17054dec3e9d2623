/** Frames after the card has moved, in which the menu or message closes and what had the focus is removed. */
const FRAMES = 40;

/** Frames to wait for the card to move: a page with many cards is slow to render them. */
const PATIENCE = 300;

/**
 * Keeps the focus on a card that moves or is shown for the first time, until it has settled or the person presses
 * something. Otherwise, the card's menu would give the focus to the place where the card was, the list there to a
 * neighbour, and a message to what had the focus before.
 * On a phone the card is on another tab: the column that is shown takes the focus.
 */
export function focusCard(id: string): void {
  const gone = new AbortController();
  for (const input of ['keydown', 'pointerdown']) {
    document.addEventListener(input, () => gone.abort(), { capture: true, signal: gone.signal });
  }
  const before = rowOf(id);
  const hold = (left: number) => {
    if (gone.signal.aborted) return;
    if (left === 0) return gone.abort();
    const card = rowOf(id);
    if (card) {
      if (!card.contains(document.activeElement)) card.focus();
    } else if (before && document.activeElement === document.body) {
      document.querySelector<HTMLElement>('.column-cards [role=row], .column-cards')?.focus();
    }
    requestAnimationFrame(() => hold(card === before ? left - 1 : Math.min(left, FRAMES) - 1));
  };
  requestAnimationFrame(() => hold(PATIENCE));
}

/** Shows a card in another place, and takes the focus there if the card or something within it has the focus. */
export function keepFocus<T>(id: string, show: () => T): T {
  const hasFocus = rowOf(id)?.contains(document.activeElement);
  const result = show();
  if (hasFocus) focusCard(id);
  return result;
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector(`[data-card="${id}"]`)?.closest<HTMLElement>('[role=row]') ?? null;
}
