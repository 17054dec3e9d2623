import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Account } from './account.tsx';
import { Linked } from './linked.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';
import './profile.css';

export function ProfilePage() {
  const words = useWords(shared);
  return (
    <Page title={words.profile} width="text" toolbar={<SettingsTabs />}>
      <div className="profile">
        <Account />
        <Password />
        <Passkeys />
        <Linked />
        <Sessions />
      </div>
    </Page>
  );
}
