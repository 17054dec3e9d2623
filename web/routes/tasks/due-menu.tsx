import { getDayOfWeek, parseDate } from '@internationalized/date';
import type { ReactNode } from 'react';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useLanguage } from '../../words/language.tsx';
import { shared } from '../../words/shared.ts';
import { dueOf, instantOf } from './due.ts';
import { useTaskActions, type TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

/** Moves a task to a day; its time of day stays. */
export function DueMenu({
  task,
  isOpen,
  trigger,
  onPickDay,
}: {
  task: TaskRow;
  isOpen: boolean;
  trigger: ReactNode;
  onPickDay: () => void;
}) {
  const words = useWords(tasksWords);
  const { due } = useWords(shared);
  const format = useFormat();
  const { timeZone } = useLanguage();
  const { change } = useTaskActions();
  const today = parseDate(format.today());
  const days = [
    [due.today, 0],
    [due.tomorrow, 1],
    [words.nextWeek, 7 - getDayOfWeek(today, 'nb-NO')],
    [words.inAWeek, 7],
  ] as const;
  const { time } = dueOf(task, format);
  return (
    <Menu key={String(isOpen)} defaultOpen={isOpen} className="task-control" trigger={trigger}>
      {days.map(([label, count]) => {
        const day = today.add({ days: count }).toString();
        return (
          <MenuItem
            key={label}
            onAction={() =>
              change({
                task,
                to: instantOf({ day, time }, timeZone),
                said: words.movedNow(format.relative(day)),
              })
            }
            keys={format.weekday(day, 'short')}
          >
            {label}
          </MenuItem>
        );
      })}
      <MenuItem icon="calendar" onAction={onPickDay}>
        {words.otherDay}
      </MenuItem>
    </Menu>
  );
}
