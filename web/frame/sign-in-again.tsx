import { useQueryClient } from '@tanstack/react-query';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { Session } from '../client/application.ts';
import { sessionQuery, useSession } from '../client/session.ts';
import { SignInForm } from '../routes/sign-in/sign-in-form.tsx';
import { useWords } from '../words/dictionary.ts';
import { frameWords } from './words.ts';
import '../components/overlay.css';
import './doorway.css';
import './sign-in-again.css';

/**
 * Covers the page of somebody whose session has ended, and keeps it: what was typed is there again after signing in.
 */
export function SignInAgain({ onSignedIn }: { onSignedIn: () => void }) {
  const words = useWords(frameWords);
  const client = useQueryClient();
  const { user, workspace } = useSession();
  const enter = (session: Session) => {
    if (session.user.id !== user.id || session.workspace.id !== workspace.id) {
      // A page load leaves nothing of the other person's, or the other workspace's, in memory.
      window.location.assign('/');
      return;
    }
    client.setQueryData(sessionQuery.queryKey, session);
    onSignedIn();
    void client.invalidateQueries();
  };
  return (
    <ModalOverlay className="overlay sign-in-again" isOpen isKeyboardDismissDisabled>
      <Modal>
        <Dialog className="doorway-box">
          <Heading slot="title">{words.signedOut}</Heading>
          <p className="muted">{words.signedOutText}</p>
          <SignInForm
            next={window.location.pathname + window.location.search}
            email={user.email}
            onSignedIn={enter}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
