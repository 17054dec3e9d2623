import type { ComponentProps } from 'react';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { TaskGroup } from './use-tasks.ts';

/** "Forfalt 4", above the first task of the group. */
export function GroupHeading({ group, place }: { group: TaskGroup; place: ComponentProps<'div'> }) {
  const { due } = useWords(shared);
  const format = useFormat();
  const isLate = group.group === 'overdue';
  return (
    <div {...place} role="row" className="task-group" data-late={isLate || undefined}>
      <span role="gridcell">
        {isLate && <Icon name="warning" />}
        <b>{due[group.group]}</b> <span className="muted">{format.count(group.count, group.is_capped)}</span>
      </span>
    </div>
  );
}
