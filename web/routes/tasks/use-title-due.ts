import type { Draft } from '../../client/drafts.ts';
import { useFormat } from '../../words/format.ts';
import { writeDue } from './due-field.tsx';
import { readDue, splitDue } from './due-text.ts';

/** `due` is null for the usual one. */
type TitleAndDue = { title: string; due: string | null; isKept: boolean };

export const NO_TITLE: TitleAndDue = { title: '', due: null, isKept: false };

/**
 * The title of a new task and when it is due. What the end of the title says is taken for the due date, until that is
 * chosen in its own field or the person keeps it in the title.
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
    /** In words, as the field has it. */
    due: split && read ? writeDue(read, format) : due,
    /** What the title says of it. */
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
 * What begins the next task: what was changed since `sent` was, and what was typed after its title.
 * @param title as it was stored, which may be shorter
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
