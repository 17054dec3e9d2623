import type { ReactNode } from 'react';
import { Button as AriaButton, Dialog as AriaDialog, Heading } from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Overlay } from './overlay.tsx';
import './form.css';
import './dialog.css';

/** Escape closes it, a press beside it does not: what was typed would be lost. Render it only while it is open. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const words = useWords(shared);
  return (
    <Overlay className="dialog" isDismissable={false} onClose={onClose}>
      <AriaDialog className="dialog-box">
        <header className="dialog-header">
          <Heading slot="title">{title}</Heading>
          <AriaButton
            className="button"
            data-kind="quiet"
            data-square
            aria-label={words.close}
            onPress={onClose}
          >
            <Icon name="close" />
          </AriaButton>
        </header>
        {children}
      </AriaDialog>
    </Overlay>
  );
}

/** For what cannot be undone: names the thing and says what follows; the button says the verb. Focus is on Cancel. */
export function ConfirmDialog({
  title,
  action,
  isPending = false,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The verb and the thing: "Erase Kari Nordmann". */
  action: string;
  isPending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const words = useWords(shared);
  return (
    <Overlay className="dialog" isDismissable={false} onClose={onClose}>
      <AriaDialog className="dialog-box" role="alertdialog">
        <Heading slot="title">{title}</Heading>
        <div>{children}</div>
        <div className="form-buttons">
          <Button onPress={onClose} autoFocus>
            {words.cancel}
          </Button>
          <Button kind="danger" isPending={isPending} onPress={onConfirm}>
            {action}
          </Button>
        </div>
      </AriaDialog>
    </Overlay>
  );
}
