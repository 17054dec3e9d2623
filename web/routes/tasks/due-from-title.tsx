import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { useTitleAndDue } from './use-title-due.ts';
import { tasksWords } from './words.ts';
import './due-from-title.css';

/** Says what is taken from the title for the due date, which goes back into the title at a press, or by Escape. */
export function DueFromTitle({ task }: { task: ReturnType<typeof useTitleAndDue> }) {
  const words = useWords(tasksWords);
  return (
    <div role="status" className="due-from-title">
      {task.dueInTitle !== undefined && (
        <>
          {words.dueFromTitle(task.dueInTitle)}
          <Button
            size="small"
            kind="quiet"
            onPress={({ target }) => {
              task.keepInTitle();
              target.closest('form')?.querySelector('input')?.focus();
            }}
          >
            {words.keepInTitle}
          </Button>
        </>
      )}
    </div>
  );
}
