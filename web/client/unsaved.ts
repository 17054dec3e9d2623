/** For each form or request: whether a page load would lose something of it now. */
const checks = new Set<() => boolean>();

/**
 * Has the browser ask before the page is loaded again, left for another site or closed.
 * @param isUnsaved asked when that happens
 * @returns a function that ends this
 */
export function warnOfLoss(isUnsaved: () => boolean = () => true): () => void {
  const check = () => isUnsaved();
  checks.add(check);
  window.addEventListener('beforeunload', warn);
  return () => {
    checks.delete(check);
    if (checks.size === 0) window.removeEventListener('beforeunload', warn);
  };
}

/** Whether a page load would lose something. */
export function hasUnsaved(): boolean {
  return [...checks].some((isUnsaved) => isUnsaved());
}

/** Gives up all that is unsaved: the browser does not ask at the next page load. */
export function giveUpUnsaved(): void {
  checks.clear();
}

function warn(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}
