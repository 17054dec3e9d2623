import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../client/call.ts';
import { sessionQuery } from '../../client/session.ts';
import { errandAtProvider } from '../../client/single-sign-on.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Doorway } from '../../frame/doorway.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { words } from './words.ts';

/** Where the identity provider sends the browser back to. */
export function SignInCallbackPage() {
  const said = useWords(words);
  const text = useProblemText();
  const router = useRouter();
  const client = useQueryClient();
  const begun = useRef(false);
  const [failure, setFailure] = useState<{ text: string; isLink: boolean }>();
  useEffect(() => {
    // React runs effects twice in development, but the provider's answer can be used only once.
    if (begun.current) return;
    begun.current = true;
    const errand = errandAtProvider();
    const parameters = window.location.search.slice(1);
    const finish = async () => {
      if (!errand) throw new Error('nothing was begun in this tab');
      const body = { parameters, secret: errand.secret };
      if (errand.purpose === 'link') await call('POST /identities', { body });
      else {
        const { data } = await call('POST /sign-in/provider/finish', { body });
        client.clear();
        client.setQueryData(sessionQuery.queryKey, data.data);
      }
      if (errand.isOwnTab) window.close();
      router.history.replace(errand.next);
    };
    finish().catch((error: unknown) =>
      setFailure({
        text: errand ? text(error, said.problems) : said.elsewhere,
        isLink: errand?.purpose === 'link',
      }),
    );
  }, [client, router, said, text]);
  if (!failure) {
    return (
      <Doorway title={said.title}>
        <Skeleton kind="text" />
      </Doorway>
    );
  }
  return (
    <Doorway title={failure.isLink ? said.notLinked : said.failed}>
      <p role="alert">{failure.text}</p>
      {/* Only somebody who is signed in links an account. */}
      <LinkButton to={failure.isLink ? '/settings/profile' : '/sign-in'}>
        {failure.isLink ? said.backToProfile : said.back}
      </LinkButton>
    </Doorway>
  );
}
