import type { Reading } from './read-file.ts';

const placeOf = (id: string) => `kundebok.import.${id}`;

/** Keeps in this browser how an import's file is read, so that it is read the same way when the import is resumed. */
export function keepReading(id: string, { encoding, separator }: Reading): void {
  localStorage.setItem(placeOf(id), JSON.stringify({ encoding, separator }));
}

/** How the file of an import was read, if this browser began it. */
export function findReading(id: string): Reading | undefined {
  const stored = localStorage.getItem(placeOf(id));
  return stored === null ? undefined : (JSON.parse(stored) as Reading);
}

export function forgetReading(id: string): void {
  localStorage.removeItem(placeOf(id));
}
