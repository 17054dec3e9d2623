import { useState } from 'react';
import { useFormat } from '../../words/format.ts';
import { sayDue } from './due-field.tsx';
import { readDue, splitDue } from './due-text.ts';

/**
 * The title of a new task and when it is due. What the end of the title says is taken for the due date, until that is
 * chosen in its own field or the person keeps it in the title.
 */
export function useTitleAndDue(usualDue: string) {
  const format = useFormat();
  const today = format.today();
  const [title, setTitle] = useState('');
  const [due, setDue] = useState(usualDue);
  const [isKept, setIsKept] = useState(false);
  const [usual, setUsual] = useState(usualDue);
  if (usual !== usualDue) {
    setUsual(usualDue);
    if (due === usual) setDue(usualDue);
  }
  const split = due === usualDue && !isKept ? splitDue(title, today) : undefined;
  const read = readDue(split?.due ?? due, today);
  return {
    title,
    /** In words, as the field has it. */
    due: split && read ? sayDue(read, format) : due,
    /** What the title says of it. */
    dueInTitle: split?.due,
    /** What is to be stored. */
    result: { title: (split?.title ?? title).trim(), due: read },
    changeTitle: (next: string) => {
      setTitle(next);
      if (next.trim() === '') setIsKept(false);
    },
    changeDue: (next: string) => {
      if (split) setTitle(split.title);
      setDue(next);
    },
    keepInTitle: () => setIsKept(true),
    /** What was typed since `sent` was is the beginning of the next title. */
    clear: (sent: string) => {
      setTitle((now) => (now.startsWith(sent) ? now.slice(sent.length) : now));
      setDue(usualDue);
      setIsKept(false);
    },
  };
}
