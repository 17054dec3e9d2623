import { useState } from 'react';
import type { Session } from '../../client/application.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { words } from './words.ts';

/** Signs in with a passkey. What that takes is loaded when it is pressed. */
export function PasskeyButton({
  link,
  onSignedIn,
}: {
  link: string | undefined;
  onSignedIn: (session: Session) => void;
}) {
  const said = useWords(words);
  const text = useProblemText();
  const [isPending, setIsPending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const signIn = async () => {
    setIsPending(true);
    setFailure(undefined);
    const { signInWithPasskey, wasCancelled } = await import('../../client/passkeys.ts');
    try {
      onSignedIn(await signInWithPasskey(link));
    } catch (error) {
      if (!wasCancelled(error)) setFailure(text(error, { sign_in_failed: said.passkeyRefused }));
    } finally {
      setIsPending(false);
    }
  };
  return (
    <>
      <Button isPending={isPending} onPress={() => void signIn()}>
        {said.passkey}
      </Button>
      <div role="alert" className="form-problem">
        {failure}
      </div>
    </>
  );
}
