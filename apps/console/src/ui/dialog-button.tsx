import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { queryClient } from '../data/query-client.js';
import { withRecentSignIn } from '../data/step-up.js';
import { Button, type ButtonProps } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import styles from './dialog.module.css';
import { useLinked } from './linked.js';
import { ProblemAlert } from './problem.js';

export interface DialogButtonProps extends Pick<ButtonProps, 'look' | 'refusal' | 'aria-label'> {
  name: string;
  /** Heading of the dialog. Default: the label of the button. */
  title?: string;
  children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog, as does a link with its name as hash. Closing the dialog discards typed text. */
export function DialogButton({ name, title = name, children, ...button }: DialogButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  useLinked(name, () => setOpen(button.refusal === undefined || button.refusal === null));
  return (
    <>
      <Button {...button} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {name}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}

export interface ActionFormProps<Result> {
  /** Label of the button that confirms. By convention it is the label of the button that opened the dialog. */
  action: string;
  look?: 'primary' | 'danger';
  run: () => Promise<Result>;
  /** Prefix of query keys. All queries with this prefix are read again after the action. */
  changes: readonly unknown[];
  onDone?: (result: Result) => void;
  /** Returns what is shown instead of the form after a successful action. If nothing is, the dialog closes. */
  outcome?: (result: Result) => ReactNode;
  onClose: () => void;
  /** Renders the fields of the form. `error` is the error of the last attempt. */
  children: (error: unknown) => ReactNode;
}

/** Form of a dialog, with buttons to cancel and confirm. Enter in a field confirms. */
export function ActionForm<Result>(props: ActionFormProps<Result>): ReactNode {
  const { action, look = 'primary', outcome, onClose, children } = props;
  const { error, isPending, isSuccess, data, mutate } = useAction(props, (result) => {
    if ((outcome?.(result) ?? null) === null) onClose();
  });
  const shown = isSuccess ? outcome?.(data) : null;
  if (shown)
    return (
      <>
        {shown}
        <DialogActions>
          <Button autoFocus onClick={onClose}>
            Close
          </Button>
        </DialogActions>
      </>
    );
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const unread = event.currentTarget.querySelector<HTMLElement>('[data-unread]');
    if (unread === null) mutate();
    else unread.focus();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {children(error)}
      <ProblemAlert error={error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={look} refusal={isPending ? NO_ANSWER_YET : null}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

const NO_ANSWER_YET = 'The service has not responded yet.';

type Action<Result> = Pick<ActionFormProps<Result>, 'run' | 'changes' | 'onDone'>;

/** Performs the action, then reads the changed data. If the API requires a recent sign-in, asks for it and retries. */
function useAction<Result>({ run, changes, onDone }: Action<Result>, close?: (result: Result) => void) {
  return useMutation({
    mutationFn: () => withRecentSignIn(run),
    onSuccess: (result) => {
      close?.(result);
      onDone?.(result);
      void queryClient.invalidateQueries({ queryKey: changes });
    },
  });
}

export interface ActionButtonProps<Result> extends Action<Result>, Pick<ButtonProps, 'look' | 'refusal'> {
  name: string;
}

/** A button that performs an action without confirmation. If the action fails, the error appears below the button. */
export function ActionButton<Result>({ name, look, refusal, ...action }: ActionButtonProps<Result>): ReactNode {
  const { error, isPending, mutate } = useAction(action);
  return (
    <>
      <Button look={look} refusal={isPending ? NO_ANSWER_YET : refusal} onClick={() => mutate()}>
        {name}
      </Button>
      <ProblemAlert error={error} />
    </>
  );
}

export interface ConfirmButtonProps extends Action<unknown>, Pick<ButtonProps, 'look' | 'refusal'> {
  name: string;
  title: string;
  /** Text that explains the consequences before the person confirms. */
  children: ReactNode;
}

/** A button that performs an action after a confirmation in a dialog. The button that confirms has the same label. */
export function ConfirmButton({ children, run, changes, onDone, ...button }: ConfirmButtonProps): ReactNode {
  return (
    <DialogButton {...button}>
      {(close) => (
        <ActionForm action={button.name} look="danger" run={run} changes={changes} onDone={onDone} onClose={close}>
          {() => <p>{children}</p>}
        </ActionForm>
      )}
    </DialogButton>
  );
}
