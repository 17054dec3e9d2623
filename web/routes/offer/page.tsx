import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';

export function OfferPage() {
  const words = useWords(shared);
  return (
    <Page title={words.offer} width="text">
      <p className="muted">{words.notBuilt}</p>
    </Page>
  );
}
