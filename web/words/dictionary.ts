import { useLanguage } from './language.ts';

type Words = { readonly [key: string]: string | ((...args: never[]) => string) | Words };

/** The same keys as `W`. Texts that are functions take the same arguments. */
type SameAs<W> = {
  readonly [K in keyof W]: W[K] extends string
    ? string
    : W[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : SameAs<W[K]>;
};

type Dictionary<W> = { nb: W; en: W };

/** Texts of the application in both languages. If one language lacks a key, this does not compile. */
export function dictionary<const W extends Words>(nb: W, en: SameAs<W>): Dictionary<SameAs<W>> {
  return { nb, en } as unknown as Dictionary<SameAs<W>>;
}

/** The words of a dictionary in the person's language. */
export function useWords<W>(words: Dictionary<W>): W {
  return words[useLanguage().language];
}
