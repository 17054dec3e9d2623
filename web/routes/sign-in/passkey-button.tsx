import { useEffect, useEffectEvent, useState } from 'react';
import type { Session } from '../../client/application.ts';
import { loadPasskeys } from '../../client/has-passkeys.ts';
import { Unreachable } from '../../client/problem.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { words } from './words.ts';

/** An offer ends before the ten minutes for which the service remembers its challenge. */
const OFFERED_MS = 9 * 60_000;

type SignIn = (link: string | undefined) => Promise<Session>;

/** Signs in with a passkey, which the browser offers in the field of the email address, or at a press of the button. */
export function PasskeyButton({
  link,
  onRefused,
  onSignedIn,
}: {
  link: string | undefined;
  /** Called with the error when signing in fails; throws it again. */
  onRefused: (error: unknown) => never;
  onSignedIn: (session: Session) => void;
}) {
  const said = useWords(words);
  const text = useProblemText();
  const [isPending, setIsPending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [round, setRound] = useState(0);

  const enter = async (signIn: SignIn) => {
    setIsPending(true);
    setFailure(undefined);
    try {
      onSignedIn(await signIn(link).catch(onRefused));
    } catch (error) {
      const fault = error instanceof Unreachable ? undefined : (await loadPasskeys()).passkeyFault(error);
      if (fault === 'cancelled') return;
      if (fault === 'atAddress') setFailure(said.passkeyAtAddress);
      else
        setFailure(
          fault
            ? said.passkeyRefused
            : text(error, { sign_in_failed: said.passkeyRefused, sign_in_first: said.other }),
        );
    } finally {
      setIsPending(false);
    }
  };

  return (
    <>
      {/* A later request to the browser ends an earlier one: nothing is offered during the button's request. */}
      {!isPending && (
        <Offer
          key={round}
          onChosen={(signIn) => void enter(signIn)}
          onExpired={() => setRound((last) => last + 1)}
        />
      )}
      <Button
        isPending={isPending}
        onPress={() => void enter(async (to) => (await loadPasskeys()).signInWithPasskey(to))}
      >
        {said.passkey}
      </Button>
      <div role="alert" className="form-problem">
        {failure}
      </div>
    </>
  );
}

/** Has the browser offer its passkeys while the page is shown. */
function Offer({ onChosen, onExpired }: { onChosen: (signIn: SignIn) => void; onExpired: () => void }) {
  const choose = useEffectEvent(onChosen);
  const expire = useEffectEvent(onExpired);
  useEffect(() => {
    const offer = new AbortController();
    const begin = async () => {
      const { offerPasskeys } = await loadPasskeys();
      const signIn = await offerPasskeys(offer.signal);
      if (signIn && !offer.signal.aborted) choose(signIn);
    };
    // Nobody has asked for the offer. Where it fails, the button and the password remain.
    begin().catch(() => {});
    const timer = setTimeout(() => expire(), OFFERED_MS);
    return () => {
      clearTimeout(timer);
      offer.abort();
    };
  }, []);
  return null;
}
