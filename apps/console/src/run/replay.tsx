import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { ReplayModeFields, TEST_MODE, unsureRefusal } from '../runs/replay-mode.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Choice } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { wordOptions } from '../data/words.js';

export interface ReplayButtonProps {
  run: Run;
  /** Label of this button, and of the button in the dialog that confirms the replay. */
  name: string;
  /** First step to execute again. Earlier steps keep their recorded results. */
  fromStep?: number;
}

/**
 * Replays a run. A run in mode `production` needs an additional confirmation, because the replay executes writes again.
 */
export function ReplayButton({ run, name, fromStep }: ReplayButtonProps): ReactNode {
  const refusal = useRefusal('agents:run');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button refusal={refusal} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {name}
      </Button>
      <Dialog
        title={fromStep === undefined ? 'Replay this run?' : `Replay from step ${fromStep}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <ReplayForm run={run} name={name} fromStep={fromStep} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

type ToolResults = 'recorded' | 'live';

function ReplayForm({ run, name, fromStep, onClose }: ReplayButtonProps & { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [choice, setChoice] = useState(TEST_MODE);
  const { mode } = choice;
  const [toolResults, setToolResults] = useState<ToolResults>('recorded');
  const replay = useMutation({
    mutationFn: () =>
      aas.runs.replay(run.id, {
        mode,
        tool_results: toolResults,
        ...(fromStep !== undefined && { from_step: fromStep }),
      }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$id', params: { id } }),
  });
  const unusable =
    run.mode === 'test' && mode === 'production' && (fromStep !== undefined || toolResults === 'recorded')
      ? 'Results of a run in mode test may be simulated, so a replay in production cannot use them. Replay the whole run with live tool results.'
      : null;
  const isPending = replay.isPending ? 'The service has not responded yet.' : null;
  return (
    <>
      <p>
        Starts a new run of the same agent with the same input.{' '}
        {fromStep !== undefined &&
          `The new run reuses the recorded results of the steps before step ${fromStep}, and executes this step again. `}
        {mode === 'test'
          ? 'Write operations are simulated.'
          : 'Write operations are executed again, and approvals are requested again.'}
      </p>
      <ReplayModeFields value={choice} onChange={setChoice} question="The run may execute its write operations again" />
      <Choice
        label="Tool results"
        value={toolResults}
        onChange={(value) => setToolResults(value as ToolResults)}
        options={wordOptions('recorded', ['recorded', 'live'])}
        hint={
          toolResults === 'recorded'
            ? 'Calls with an identical request return their recorded responses. Failed calls are made again in production.'
            : 'All calls are executed again.'
        }
      />
      <ProblemAlert error={replay.error} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          look={mode === 'production' ? 'danger' : 'primary'}
          refusal={unusable ?? unsureRefusal(choice) ?? isPending}
          onClick={() => replay.mutate()}
        >
          {name}
        </Button>
      </DialogActions>
    </>
  );
}
