import { useCommandList } from '../../frame/commands.tsx';
import { Keys } from '../../frame/keys.tsx';
import { Page } from '../../frame/page.tsx';
import { frameWords } from '../../frame/words.ts';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { words as companiesWords } from '../companies/words.ts';
import { offerWords } from '../offers/words.ts';
import { tasksWords } from '../tasks/words.ts';
import './page.css';

export function ShortcutsPage() {
  const words = useWords(frameWords);
  const { shortcuts, tasks, offers } = useWords(shared);
  const ofCompanies = useWords(companiesWords);
  const ofTasks = useWords(tasksWords);
  const ofOffers = useWords(offerWords);
  const commands = useCommandList().flatMap(({ group, label, keys, isHidden }) =>
    keys && !isHidden ? [{ group, label, keys }] : [],
  );
  const all = [
    ...commands,
    { group: words.general, label: words.newKey, keys: 'n' },
    { group: words.inLists, label: words.move, keys: 'j k' },
    { group: words.inLists, label: words.openRow, keys: 'Enter' },
    { group: words.inLists, label: words.selectRow, keys: 'x' },
    { group: words.inLists, label: ofCompanies.unselect, keys: 'Esc' },
    { group: tasks, label: ofTasks.completeTask, keys: 'x' },
    { group: tasks, label: ofTasks.editTask, keys: 'e' },
    { group: tasks, label: ofTasks.moveDue, keys: 'd' },
    { group: tasks, label: ofTasks.reassign, keys: 'a' },
    { group: tasks, label: ofTasks.deleteTask, keys: 'Del' },
    { group: offers, label: ofOffers.moveOne, keys: 'm' },
    { group: words.inFields, label: words.editField, keys: 'Enter' },
    { group: words.inFields, label: words.restoreField, keys: 'Esc' },
    { group: words.inFields, label: words.sendField, keys: 'Mod+Enter' },
  ];
  return (
    <Page title={shortcuts} width="text">
      <div className="shortcuts">
        <p className="muted">{words.shortcutsIntro}</p>
        {[...new Set(all.map(({ group }) => group))].map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <dl>
              {all
                .filter((shortcut) => shortcut.group === group)
                .map(({ label, keys }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Page>
  );
}
