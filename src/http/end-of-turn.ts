/**
 * Gathers what comes in one turn of the event loop and hands it over at the turn's end. Done in a row, the same work
 * takes less time, down to half: the processor still has its code at hand.
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
