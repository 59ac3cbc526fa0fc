import { useMutation, useQuery } from '@tanstack/react-query';
import { Octagon } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { aas, type Workspace } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal, WORKSPACE } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Choice, TextField } from '../ui/field.js';
import { Card, Disclosure, Facts, Page } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { InFlight, StopDialog } from './stop-dialog.js';
import styles from './stop-page.module.css';

const EVERY_MILLIS = 5_000;

/** Page with the stop button. The button is enabled before the page has loaded any data. */
export function StopPage(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('workspace:stop');
  const {
    data: workspace,
    isPending,
    error,
  } = useQuery({
    queryKey: WORKSPACE,
    queryFn: () => aas.workspace.get(),
    // The change feed reports a stop and a resume, so the page polls only after an error.
    refetchInterval: ({ state }) => (state.error === null ? false : EVERY_MILLIS),
  });
  const isStopped = workspace?.status === 'stopped';
  const wasOpen = useRef(false);
  useEffect(() => {
    // After a stop, the button that opened the dialog is folded away, so the focus cannot return to it.
    const isDone = wasOpen.current && !isOpen && isStopped;
    wasOpen.current = isOpen;
    if (!isDone) return;
    // The dialog keeps the focus until the next frame.
    const frame = requestAnimationFrame(() => document.getElementById('main')?.focus());
    return () => cancelAnimationFrame(frame);
  }, [isOpen, isStopped]);
  const stop = <StopButton refusal={refusal} onOpen={() => setOpen(true)} />;
  return (
    <Page title="Emergency stop" busy={isPending}>
      {isStopped && <Stopped workspace={workspace} refusal={refusal} />}
      <Card>
        {isStopped ? (
          <Disclosure summary="Stop again">{stop}</Disclosure>
        ) : (
          <>
            {stop}
            <p role="status">
              {workspace?.status === 'active' && (
                <>
                  <Status value="active" /> The agents of {workspace.name} are running.
                </>
              )}
              {workspace === undefined &&
                error === null &&
                'The state of the workspace has not loaded yet. You can already use the button.'}
            </p>
          </>
        )}
      </Card>
      <ProblemAlert error={error} />
      <StopDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

function StopButton({ refusal, onOpen }: { refusal: string | null; onOpen: () => void }): ReactNode {
  return (
    <>
      <p>
        Stops all agents of the workspace within seconds. Agents start no further calls. Runs are suspended, and no data
        is lost.
      </p>
      <div>
        <Button look="danger" className={styles.big} refusal={refusal} onClick={onOpen}>
          <Octagon size={18} aria-hidden />
          Stop all agents
        </Button>
      </div>
    </>
  );
}

function Stopped({ workspace, refusal }: { workspace: Workspace; refusal: string | null }): ReactNode {
  return (
    <>
      <Card title="Stopped">
        <Facts
          facts={[
            ['By', workspace.stopped_by],
            ['Since', workspace.stopped_at !== null && <Time at={workspace.stopped_at} />],
            ['Reason', workspace.reason ?? 'None was given'],
          ]}
        />
        <InFlight calls={workspace.in_flight} />
      </Card>
      <Card title="Resume">
        <p>Suspended runs continue after their last recorded step. Paused agents stay paused.</p>
        <ResumeForm refusal={refusal} />
      </Card>
    </>
  );
}

function ResumeForm({ refusal }: { refusal: string | null }): ReactNode {
  const [reason, setReason] = useState('');
  const [queued, setQueued] = useState<'resume' | 'cancel'>('resume');
  const resume = useMutation({
    mutationFn: () =>
      aas.workspace.resume({ queued_runs: queued, ...(reason.trim() !== '' && { reason: reason.trim() }) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: WORKSPACE }),
  });
  return (
    <div className={styles.form}>
      <Choice
        label="Runs that had not started"
        value={queued}
        onChange={(value) => setQueued(value === 'cancel' ? 'cancel' : 'resume')}
        options={[
          { value: 'resume', label: 'Start them' },
          { value: 'cancel', label: 'Cancel them' },
        ]}
      />
      <TextField label="Reason" value={reason} onChange={setReason} hint="The reason is recorded in the audit log." />
      <ProblemAlert error={resume.error} />
      <div>
        <Button
          look="primary"
          refusal={refusal ?? (resume.isPending ? 'The service is resuming.' : null)}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      </div>
    </div>
  );
}
