import type { Draft } from '../../client/drafts.ts';
import { useFormat } from '../../words/format.ts';
import { writeDue } from './due-field.tsx';
import { readDue, splitDue } from './due-text.ts';

/** `due` is null for the usual due date. `isKept`: the end of the title is not taken for the due date. */
type TitleAndDue = { title: string; due: string | null; isKept: boolean };

export const NO_TITLE: TitleAndDue = { title: '', due: null, isKept: false };

/**
 * The title of a new task and when it is due. What the end of the title says is taken for the due date, until a date is
 * chosen in its own field or the person keeps the words in the title.
 */
export function useTitleAndDue(
  { values, set }: Pick<Draft<TitleAndDue>, 'values' | 'set'>,
  usualDue: string,
) {
  const format = useFormat();
  const today = format.today();
  const { title, isKept } = values;
  const due = values.due ?? usualDue;
  const split = due === usualDue && !isKept ? splitDue(title, today) : undefined;
  const read = readDue(split?.due ?? due, today);
  return {
    title,
    /** The due date in words, as its field shows it. */
    due: split && read ? writeDue(read, format) : due,
    /** The words of the title that are taken for the due date. */
    dueInTitle: split?.due,
    /** What is to be stored. */
    result: { title: (split?.title ?? title).trim(), due: read },
    changeTitle: (next: string) => set({ title: next, isKept: isKept && next.trim() !== '' }),
    changeDue: (next: string) =>
      set({ due: next === usualDue ? null : next, title: split ? split.title : title }),
    keepInTitle: () => set({ isKept: true }),
  };
}

/**
 * What the next task begins with: values that were changed since `sent` was sent, and what was typed after its title.
 * @param title the stored title: shorter than that of `sent` where its end was taken for the due date
 */
export function changedSince<Values extends TitleAndDue>(
  sent: Values,
  now: Values,
  title: string,
): Partial<Values> {
  const rest = now.title.startsWith(sent.title) ? now.title.slice(sent.title.length) : now.title;
  const next = Object.entries({ ...now, title: rest === title ? '' : rest });
  const before: Readonly<Record<string, unknown>> = { ...sent, title: '' };
  return Object.fromEntries(next.filter(([name, value]) => value !== before[name])) as Partial<Values>;
}
