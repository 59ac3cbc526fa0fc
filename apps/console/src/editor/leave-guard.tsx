import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';

/**
 * Asks for confirmation before the person leaves the editor with unsaved text. A reload needs no confirmation, because
 * the browser stores the text and restores it.
 */
export function LeaveGuard({ isDirty, isSaving }: { isDirty: boolean; isSaving: boolean }): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && !isSaving && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <Dialog title="Leave without saving?" isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p>This browser stores the unsaved text. The editor shows it when you return.</p>
      <DialogActions>
        <Button onClick={() => reset?.()}>Stay</Button>
        <Button look="primary" onClick={() => proceed?.()}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
