import { MoreHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { ActionForm, type ConfirmButtonProps, type DialogButtonProps } from './dialog-button.js';
import { MenuButton, MenuItem } from './menu.js';

export type MenuAction = Pick<DialogButtonProps, 'name' | 'title' | 'children'>;

export interface ActionMenuProps {
  label: string;
  actions: readonly MenuAction[];
  /** Why the person may perform none of the actions. */
  refusal?: string | null;
}

/** A menu of the actions of a row. Each action opens a dialog. */
export function ActionMenu({ label, actions, refusal = null }: ActionMenuProps): ReactNode {
  const [chosen, setChosen] = useState<MenuAction>();
  const close = (): void => setChosen(undefined);
  const content = (
    <>
      <MoreHorizontal size={16} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </>
  );
  if (refusal !== null) return <Button refusal={refusal}>{content}</Button>;
  return (
    <div>
      <MenuButton placement="bottom end" label={content}>
        {actions.map((action) => (
          <MenuItem key={action.name} name={action.name} onAction={() => setChosen(action)} />
        ))}
      </MenuButton>
      <Dialog title={chosen?.title ?? chosen?.name ?? ''} isOpen={chosen !== undefined} onClose={close}>
        {chosen?.children(close)}
      </Dialog>
    </div>
  );
}

/** An action that is performed after a confirmation. */
export function confirmAction({ name, title, children, run, changes, onDone }: ConfirmButtonProps): MenuAction {
  return {
    name,
    title,
    children: (close) => (
      <ActionForm action={name} look="danger" run={run} changes={changes} onDone={onDone} onClose={close}>
        {() => <p>{children}</p>}
      </ActionForm>
    ),
  };
}
