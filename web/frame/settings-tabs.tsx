import { LinkTabs } from '../components/link-tabs.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';

/** Links to the pages of the settings; each of these pages has them as its `toolbar`. */
export function SettingsTabs() {
  const words = useWords(shared);
  return (
    <LinkTabs
      label={words.settings}
      tabs={[
        { to: '/settings/profile', label: words.profile },
        { to: '/settings/workspace', label: words.workspace },
        { to: '/settings/members', label: words.members },
        { to: '/settings/keys', label: words.keys },
        { to: '/settings/history', label: words.history },
      ]}
    />
  );
}
