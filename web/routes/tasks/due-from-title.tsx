import { Button } from '../../components/button.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { useIsLocked } from '../../components/submission.ts';
import { useWords } from '../../words/dictionary.ts';
import type { useTitleAndDue } from './use-title-due.ts';
import { tasksWords } from './words.ts';
import './due-from-title.css';

/** Says what is taken from the title for the due date, which goes back into the title at a press, or by Escape. */
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
