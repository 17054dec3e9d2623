import { drawer } from '../register/sandbox/generated.ts';

/** Choices that look random and are the same for the same seed. */
export type Draw = {
  /** A whole number, both ends included. */
  number(lowest: number, highest: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True with this probability in percent. */
  chance(percent: number): boolean;
  /** The same items in another order. */
  shuffle<T>(items: readonly T[]): T[];
};

export function createDraw(seed: number): Draw {
  const number = drawer(seed);
  return {
    number,
    pick: (choices) => choices[number(0, choices.length - 1)]!,
    chance: (percent) => number(1, 100) <= percent,
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: number(0, 1_000_000) }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ item }) => item),
  };
}
