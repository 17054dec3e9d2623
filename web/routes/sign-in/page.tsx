import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import type { Session } from '../../client/application.ts';
import { safeNext, sessionQuery } from '../../client/session.ts';
import { Doorway } from '../../frame/doorway.tsx';
import { useWords } from '../../words/dictionary.ts';
import { SignInForm } from './sign-in-form.tsx';
import { words } from './words.ts';

export function SignInPage() {
  const said = useWords(words);
  const router = useRouter();
  const navigate = useNavigate();
  const client = useQueryClient();
  const wanted = safeNext(useSearch({ from: '/sign-in' }).next);
  // Signing in accepts the invitation that led here: somebody without a workspace can get in only by it.
  const link = /^\/welcome\/([\w-]+)$/.exec(wanted)?.[1];
  const next = link === undefined ? wanted : '/';
  const enter = (session: Session) => {
    client.clear();
    client.setQueryData(sessionQuery.queryKey, session);
    router.history.push(next);
  };
  return (
    <Doorway title={said.title}>
      <SignInForm
        next={next}
        link={link}
        onLinkEnded={() => void navigate({ to: '/sign-in', replace: true })}
        onSignedIn={enter}
      />
    </Doorway>
  );
}
