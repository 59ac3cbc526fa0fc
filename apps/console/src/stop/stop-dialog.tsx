import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { aas, type Workspace } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal, WORKSPACE } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './stop-page.module.css';

type Stop = Awaited<ReturnType<typeof aas.workspace.stop>>;

/**
 * Asks for a reason and stops all agents. Loads no data before the stop, so that the button works even if the API is
 * slow.
 */
export function StopDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const stop = useMutation({
    mutationFn: () => aas.workspace.stop(reason.trim() === '' ? {} : { reason: reason.trim() }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: WORKSPACE }),
  });
  const close = (): void => {
    setReason('');
    stop.reset();
    onClose();
  };
  return (
    <Dialog title={stop.data ? 'All agents are stopped' : 'Stop all agents?'} isOpen={isOpen} onClose={close}>
      {stop.data ? (
        <Report stop={stop.data} onClose={close} />
      ) : (
        <Question
          reason={reason}
          onReason={setReason}
          error={stop.error}
          isPending={stop.isPending}
          onStop={() => stop.mutate()}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

interface QuestionProps {
  reason: string;
  onReason: (reason: string) => void;
  error: unknown;
  isPending: boolean;
  onStop: () => void;
  onClose: () => void;
}

function Question({ reason, onReason, error, isPending, onStop, onClose }: QuestionProps): ReactNode {
  const refusal = useRefusal('workspace:stop');
  const isRefused = refusal !== null || isPending;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isRefused) onStop();
  };
  return (
    <form className={styles.report} onSubmit={submit}>
      <p>
        Agents start no further calls. Runs are suspended and continue after you resume. Calls in progress may still
        finish.
      </p>
      <TextField
        label="Reason"
        hint="All members of the workspace can see the reason."
        value={reason}
        onChange={onReason}
        autoFocus
      />
      <ProblemAlert error={error} />
      <p role="status">{isPending && 'Stopping. Calls in progress have 5 s to finish.'}</p>
      <DialogActions>
        <Button onClick={onClose}>Keep running</Button>
        <Button
          type="submit"
          look="danger"
          refusal={refusal ?? (isPending ? 'The service is waiting for the calls in progress to end.' : null)}
        >
          Stop all agents
        </Button>
      </DialogActions>
    </form>
  );
}

/** Shows what the service guarantees after the stop, from the response to the stop request. */
function Report({ stop: { runs, in_flight: calls }, onClose }: { stop: Stop; onClose: () => void }): ReactNode {
  return (
    <div className={styles.report}>
      <div role="status" className={styles.report}>
        <p>
          No further calls start. Runs: {runs.queued} queued, {runs.running} running, {runs.waiting_approval} waiting
          for approval.
        </p>
        <InFlight calls={calls} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  );
}

type Call = Workspace['in_flight'][number];

/** Lists the tool calls that may still be in progress after a stop. */
export function InFlight({ calls }: { calls: readonly Call[] }): ReactNode {
  if (calls.length === 0) return <p>No call is in flight.</p>;
  return (
    <ul className={styles.calls} aria-label="Calls in flight">
      {calls.map((call) => (
        <li key={`${call.run} ${call.n}`}>
          <Status value={call.status} />
          <Link to="/runs/$id" params={{ id: call.run }} search={{ step: String(call.n) }}>
            {call.tool}
          </Link>
          <Word kind="access" value={call.scope} />
          <span>
            since <Time at={call.started_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
