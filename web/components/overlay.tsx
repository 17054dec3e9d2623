import type { ReactNode } from 'react';
import { Modal, ModalOverlay } from 'react-aria-components';
import { useFocusBack } from './focus-back.ts';
import './overlay.css';

/** What lies over the page until it is closed; the focus then goes back to where it was. */
export function Overlay({
  className,
  isDismissable = true,
  onClose,
  children,
}: {
  className: string;
  /** Whether a press outside closes it. */
  isDismissable?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  useFocusBack();
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={isDismissable}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Modal className={className}>{children}</Modal>
    </ModalOverlay>
  );
}
