import type { ComponentProps } from 'react';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { TaskGroup } from './use-tasks.ts';

/** "Forfalt 4", above the first task of the group: a row of the grid, and a heading to jump to. */
export function GroupHeading({
  group,
  level: Heading,
  place,
}: {
  group: TaskGroup;
  level: 'h2' | 'h3';
  place?: ComponentProps<'div'>;
}) {
  const { due } = useWords(shared);
  const format = useFormat();
  const isLate = group.group === 'overdue';
  return (
    <div {...place} role="row" className="task-group" data-late={isLate || undefined}>
      <div role="gridcell">
        <Heading>
          {isLate && <Icon name="warning" />}
          {due[group.group]} <span className="muted">{format.count(group.count, group.is_capped)}</span>
        </Heading>
      </div>
    </div>
  );
}
