/**
 * Gathers what comes in one turn of the event loop and hands it over at the turn's end. The same work takes
 * less time when it is done in a row, down to half: its code is still in the processor's cache.
 */
export function atEndOfTurn<T>(work: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = [];
  return (item) => {
    items.push(item);
    if (items.length > 1) return;
    setImmediate(() => {
      const gathered = items;
      items = [];
      work(gathered);
    });
  };
}
