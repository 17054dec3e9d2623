import { Button } from '../../components/button.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { useIsLocked } from '../../components/submission.ts';
import { useWords } from '../../words/dictionary.ts';
import type { useTitleAndDue } from './use-title-due.ts';
import { tasksWords } from './words.ts';
import './due-from-title.css';

/** Says which words of the title are taken for the due date. The button, or Escape, puts them back into the title. */
export function DueFromTitle({ task }: { task: ReturnType<typeof useTitleAndDue> }) {
  const words = useWords(tasksWords);
  const isLocked = useIsLocked();
  return (
    <div role="status" className="due-from-title">
      {task.dueInTitle !== undefined && (
        <>
          {words.dueFromTitle(task.dueInTitle)}
          <Button
            size="small"
            kind="quiet"
            isPending={isLocked}
            onPress={({ target }) => {
              const field = target.closest('form')?.querySelector('input');
              task.keepInTitle();
              field?.focus();
              // A slow phone sends the click later, to what lies below the button that is gone.
              focusIfLost(field);
            }}
          >
            {words.keepInTitle}
          </Button>
        </>
      )}
    </div>
  );
}
