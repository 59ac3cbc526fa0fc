import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { actionLink, Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { DialogButton } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { OtherRuns } from './other-runs.js';
import { ReplayButton } from './replay.js';

export function RunActions({ run, compared }: { run: Run; compared: string | undefined }): ReactNode {
  return (
    <>
      {run.replay_of !== null && compared === undefined && (
        <>
          <Link className={actionLink} to="/runs/$id" params={{ id: run.replay_of }}>
            Replayed run
          </Link>
          <Link className={actionLink} to="/runs/$id" params={{ id: run.id }} search={{ compare: run.replay_of }}>
            Compare with it
          </Link>
        </>
      )}
      {compared === undefined && (
        <DialogButton name="Compare with…" title="Compare this run with">
          {(close) => <OtherRuns run={run} onClose={close} />}
        </DialogButton>
      )}
      <Link className={actionLink} to="/agents/$id/edit" params={{ id: run.agent }} search={{ case: run.id }}>
        Add as evaluation case
      </Link>
      <ReplayButton run={run} name="Replay" />
      {run.ended_at === null && <Cancel run={run} />}
    </>
  );
}

function Cancel({ run }: { run: Run }): ReactNode {
  const refusal = useRefusal('runs:cancel');
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const cancel = useMutation({
    mutationFn: () => aas.runs.cancel(run.id, reason.trim() === '' ? {} : { reason: reason.trim() }),
    onSuccess: () => setOpen(false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['run', run.id] }),
  });
  return (
    <>
      <Button refusal={refusal} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Cancel run
      </Button>
      <Dialog title="Cancel this run?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>No further calls start. Calls in progress may still finish.</p>
        <TextField label="Reason" value={reason} onChange={setReason} autoFocus />
        <ProblemAlert error={cancel.error} />
        <DialogActions>
          <Button onClick={() => setOpen(false)}>Close</Button>
          <Button
            look="danger"
            refusal={cancel.isPending ? 'The service has not responded yet.' : null}
            onClick={() => cancel.mutate()}
          >
            Cancel run
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
