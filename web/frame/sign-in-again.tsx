import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { Session } from '../client/application.ts';
import { useSession } from '../client/session.ts';
import { SignInForm } from '../routes/sign-in/sign-in-form.tsx';
import { useWords } from '../words/dictionary.ts';
import { useCoverToasts } from './toasts.tsx';
import { frameWords } from './words.ts';
import '../components/overlay.css';
import './doorway.css';
import './sign-in-again.css';

/**
 * Covers the page of somebody whose session has ended, and keeps it: what was typed is there again after signing in.
 */
export function SignInAgain({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const words = useWords(frameWords);
  const { user } = useSession();
  useCoverToasts();
  return (
    <ModalOverlay className="overlay sign-in-again" isOpen isKeyboardDismissDisabled>
      <Modal>
        <Dialog className="doorway-box">
          <Heading slot="title">{words.signedOut}</Heading>
          <p className="muted">{words.signedOutText}</p>
          <SignInForm
            next={window.location.pathname + window.location.search}
            email={user.email}
            keepsPage
            onSignedIn={onSignedIn}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
