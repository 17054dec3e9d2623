import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';

export function TasksPage() {
  const words = useWords(shared);
  return (
    <Page title={words.tasks} width="text">
      <p className="muted">{words.notBuilt}</p>
    </Page>
  );
}
