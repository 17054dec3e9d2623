import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';

export function WorkspacePage() {
  const words = useWords(shared);
  return (
    <Page title={words.workspace} width="text" toolbar={<SettingsTabs />}>
      <p className="muted">{words.notBuilt}</p>
    </Page>
  );
}
