import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import styles from './dialog.module.css';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** If false, neither Escape nor a click outside closes the dialog. */
  isDismissable?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog. Keeps the focus inside the dialog. When the dialog closes, the element that had the focus before the
 * dialog gets the focus again.
 */
export function Dialog({ title, isOpen, onClose, isDismissable = true, children }: DialogProps): ReactNode {
  return (
    <ModalOverlay
      className={styles.overlay}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
    >
      <Modal className={styles.modal}>
        <AriaDialog className={styles.dialog}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export function DialogActions({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.actions}>{children}</div>;
}
