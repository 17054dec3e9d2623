import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';

export function CompanyPage() {
  const words = useWords(shared);
  return (
    <Page title={words.company} width="text">
      <p className="muted">{words.notBuilt}</p>
    </Page>
  );
}
