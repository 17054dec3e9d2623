import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../frame/page.tsx';
import { useTellIfLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { nameOf, permissionOf, RESOURCES, useCreateKey } from '../settings-keys/access.ts';
import { NewKeyPanel } from '../settings-keys/new-key.tsx';
import { words as keyWords } from '../settings-keys/words.ts';
import { words } from './words.ts';
import './developers.css';

const TEST_KEY_LASTS_MS = 7 * 86_400_000;

const LINKS = [
  ['/docs', 'reference', 'referenceText'],
  ['/docs/guide', 'guide', 'guideText'],
  ['/docs/sandbox', 'sandbox', 'sandboxText'],
  ['/api/v1/openapi.json', 'openapi', 'openapiText'],
] as const;

export function DevelopersPage() {
  const said = useWords(words);
  const ofKeys = useWords(keyWords);
  const { developers: title } = useWords(shared);
  const { user, workspace } = useSession();
  const client = useQueryClient();
  const text = useProblemText();
  const toast = useToast();
  const tellIfLeft = useTellIfLeft();
  const createKey = useCreateKey();
  const create = useMutation({
    mutationFn: () =>
      createKey({
        name: said.testName,
        permissions: RESOURCES.map((resource) => permissionOf(resource, 'read')),
        expires_at: new Date(Date.now() + TEST_KEY_LASTS_MS).toISOString(),
      }),
    onSuccess({ key }) {
      tellIfLeft(ofKeys.createdUnseen(nameOf(key)));
      void client.invalidateQueries({ queryKey: ['keys'] });
    },
    onError: (error) => toast({ text: text(error), kind: 'failed' }),
  });
  const created = create.data;
  return (
    <Page title={title} width="text">
      <div className="developers">
        <p className="muted">{said.intro}</p>
        <section className="developers-part" aria-labelledby="developers-first">
          <h2 id="developers-first">{said.first}</h2>
          {created ? (
            <NewKeyPanel created={created} onDone={() => create.reset()} />
          ) : (
            <>
              <p>{said.firstText}</p>
              <div className="developers-buttons">
                <Button kind="primary" icon="key" onPress={() => create.isPending || create.mutate()}>
                  {said.createTest}
                </Button>
                <LinkButton to="/settings/keys" kind="quiet">
                  {said.keys}
                </LinkButton>
              </div>
            </>
          )}
        </section>
        <section className="developers-part" aria-labelledby="developers-addresses">
          <h2 id="developers-addresses">{said.addresses}</h2>
          <CopyLine label={said.base} text={`${window.location.origin}/api/v1`} />
          <CopyLine label={said.workspaceId} text={workspace.id} />
          <CopyLine label={said.userId} text={user.id} />
        </section>
        <section className="developers-part" aria-labelledby="developers-read">
          <h2 id="developers-read">{said.read}</h2>
          <ul className="developers-links">
            {LINKS.map(([address, name, description]) => (
              <li key={address}>
                <a href={address}>{said[name]}</a>
                <span className="muted">{said[description]}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Page>
  );
}
