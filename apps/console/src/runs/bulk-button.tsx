import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { aas, fieldProblem } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import type { Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { DialogActions } from '../ui/dialog.js';
import { DialogButton } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { actionStatuses, type BulkActionName, bulkBody, type BulkRuns, MAX_CHOSEN } from './bulk-order.js';
import { ReplayModeFields, TEST_MODE, unsureRefusal } from './replay-mode.js';
import { activeFilters, runQuery } from './run-filters.js';
import styles from './runs.module.css';

const SCOPES = { cancel: 'runs:cancel', replay: 'agents:run' } as const;
const NAMES = { cancel: 'Cancel runs', replay: 'Replay runs' } as const;
const TITLES = { cancel: 'Cancel these runs?', replay: 'Replay these runs?' } as const;

export interface BulkButtonProps {
  action: BulkActionName;
  runs: BulkRuns;
  /** Default: the name of the action. */
  name?: string;
}

/** Cancels or replays many runs after a confirmation, and then opens the page of the bulk action. */
export function BulkButton({ action, runs, name = NAMES[action] }: BulkButtonProps): ReactNode {
  const refusal = useRefusal(SCOPES[action]);
  return (
    <DialogButton name={name} title={TITLES[action]} refusal={refusal ?? impossible({ action, runs })}>
      {(close) => <BulkForm action={action} runs={runs} name={name} onClose={close} />}
    </DialogButton>
  );
}

/** Returns why the action cannot be applied to these runs, or null if it can. */
function impossible({ action, runs }: BulkButtonProps): string | null {
  if ('ids' in runs)
    return runs.ids.length > MAX_CHOSEN ? `Select at most ${MAX_CHOSEN} runs, or select all runs that match.` : null;
  if (actionStatuses(action, runs.search).length > 0) return null;
  return action === 'cancel' ? 'All matching runs have ended.' : 'The matching runs have not ended.';
}

/** Default value of `limit` in the API: the maximum number of runs in a bulk action. */
const USUAL_LIMIT = '1000';

function BulkForm({ action, runs, name, onClose }: Required<BulkButtonProps> & { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [limit, setLimit] = useState(USUAL_LIMIT);
  const [choice, setChoice] = useState(TEST_MODE);
  const start = useMutation({
    mutationFn: () =>
      aas.bulkActions.create(bulkBody(action, runs, { limit: jsonOrText(limit) as number, mode: choice.mode })),
    onSuccess: ({ id }) => void navigate({ to: '/runs/bulk/$id', params: { id } }),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    start.mutate();
  };
  const isReplay = action === 'replay';
  return (
    <form className={styles.bulk} onSubmit={submit} noValidate>
      <p>
        {'ids' in runs ? (
          <strong>{counted(runs.ids.length)}.</strong>
        ) : (
          <Matching action={action} search={runs.search} />
        )}{' '}
        {isReplay ? replayText(choice.mode) : CANCEL_TEXT}
      </p>
      {'search' in runs && (
        <TextField
          label="Limit"
          inputMode="numeric"
          value={limit}
          onChange={setLimit}
          hint="Maximum number of runs, from 1 to 10000. The newest runs are selected."
          problem={fieldProblem(start.error, '/limit')}
        />
      )}
      {isReplay && (
        <ReplayModeFields
          value={choice}
          onChange={setChoice}
          question="The runs may execute their write operations again"
        />
      )}
      <ProblemAlert error={start.error} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          type="submit"
          look={isReplay && choice.mode === 'test' ? 'primary' : 'danger'}
          refusal={unsureRefusal(choice) ?? (start.isPending ? 'The service has not responded yet.' : null)}
        >
          {name}
        </Button>
      </DialogActions>
    </form>
  );
}

const CANCEL_TEXT =
  'These runs start no further calls. Calls in progress may still finish. Runs that end before they are cancelled do not change.';

function replayText(mode: 'test' | 'production'): string {
  const writes =
    mode === 'test'
      ? 'Write operations are simulated.'
      : 'Write operations are executed again, and approvals are requested again.';
  return `Starts a new run of the same version with the same input for each run. Calls with an identical request return their recorded responses. ${writes}`;
}

const counted = (count: number): string => `${count} ${count === 1 ? 'run is' : 'runs are'} selected`;

/**
 * Maximum number of runs that are counted. The API returns no totals, so the console requests the runs and counts them.
 * A larger number is shown as `more than 99`.
 */
const COUNTED_MOST = 99;

/**
 * Shows how many runs match the filters and are in a status that allows the action. The number is an estimate: the
 * service selects the runs when it creates the bulk action.
 */
function Matching({ action, search }: { action: BulkActionName; search: Search }): ReactNode {
  const query = { ...runQuery(search), status: [...actionStatuses(action, search)], limit: COUNTED_MOST };
  const { data } = useQuery({
    queryKey: ['runs', 'count', query],
    queryFn: () => aas.runs.list(query as Parameters<typeof aas.runs.list>[0]),
  });
  const which = `${activeFilters(search).length > 0 ? 'match and ' : ''}have ${action === 'cancel' ? 'not ' : ''}ended`;
  const count = data?.next_cursor === undefined ? data?.data.length : `more than ${COUNTED_MOST}`;
  return (
    <strong>
      All runs that {which}
      {count !== undefined && `: ${count}`}.
    </strong>
  );
}
