import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../data/api.js';
import { Button } from '../ui/button.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Status } from '../ui/status.js';
import table from '../ui/table.module.css';
import { word } from '../data/words.js';
import { type BulkAction, type BulkActionPages, type BulkResult, LIMIT } from './bulk-query.js';
import styles from './bulk.module.css';

type Runs = ReadonlyMap<string, Run>;

/** The columns of the results. A replay has ended in its own way: its result only says that it was created. */
function columnsOf(action: BulkAction['action'], runs: Runs): readonly Column<BulkResult>[] {
  const runOf = ({ run, replay }: BulkResult): Run | undefined => runs.get(replay ?? run);
  return [
    {
      name: 'Run',
      cell: ({ run, code, replay }) => (
        <>
          <RunLink id={run} />
          {code !== undefined && (
            <div className={styles.quiet} title={code}>
              {refusalText(code)}
            </div>
          )}
          {replay !== undefined && (
            <div className={styles.quiet}>
              New run <RunLink id={replay} />
            </div>
          )}
        </>
      ),
    },
    { name: 'Agent', kind: 'optional', cell: (result) => runOf(result)?.agent_name },
    {
      name: action === 'replay' ? 'Status of the replay' : 'Result',
      cell: (result) => <Outcome action={action} result={result} run={runOf(result)} />,
    },
  ];
}

interface OutcomeProps {
  action: BulkAction['action'];
  result: BulkResult;
  /** The replay, if one was created and its status has been read. */
  run: Run | undefined;
}

function Outcome({ action, result: { status }, run }: OutcomeProps): ReactNode {
  if (status === 'failed') return <Status value="rejected" />;
  if (status !== 'succeeded') return <Status value={status} />;
  if (action === 'cancel') return <Status value="cancelled" />;
  if (run === undefined) return 'New run';
  return (
    <>
      <Status value={run.status} />
      {run.error !== null && <div className={styles.quiet}>{run.error.message}</div>}
    </>
  );
}

export interface BulkResultsProps {
  action: BulkAction['action'];
  results: readonly BulkResult[];
  pages: BulkActionPages;
  runs: Runs;
}

/** Lists the runs of the bulk action. A replayed run links to its new run, and a rejected run shows the reason. */
export function BulkResults({ action, results, pages, runs }: BulkResultsProps): ReactNode {
  return (
    <>
      <DataTable label="Results" columns={columnsOf(action, runs)} rows={results} rowKey={({ run }) => run} />
      <div className={table.more}>
        {pages.hasMore && (
          <Button onClick={pages.readMore} refusal={pages.isReadingMore ? 'The next page is being read.' : null}>
            Show more
          </Button>
        )}
        <ListLink ids={results.flatMap(({ run, replay }) => (action === 'replay' ? (replay ?? []) : run))} />
      </div>
    </>
  );
}

const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  run_not_cancellable: 'The run had already ended.',
  not_found: 'The run does not exist.',
  unknown_reference: 'The run has not ended, or its steps have been deleted.',
  agent_archived: 'The agent is archived.',
  agent_paused: 'The agent is paused.',
  workspace_stopped: 'All agents are stopped.',
  budget_exceeded: 'The budget is used up.',
  input_invalid: 'The input does not match the input schema of the agent version.',
  rate_limited: 'Too many runs were waiting at the same time.',
  unavailable: 'The service was not available.',
  internal_error: 'An internal error occurred. The log of the service contains the details.',
};

export function refusalText(code: string): string {
  return REFUSAL_TEXTS[code] ?? word('error', code);
}

function RunLink({ id }: { id: string }): ReactNode {
  return (
    <Link to="/runs/$id" params={{ id }} className={styles.run}>
      <code>{id}</code>
    </Link>
  );
}

/** Links to the run list, filtered by the ids. If there are more than `LIMIT`, uses only the first ones. */
function ListLink({ ids }: { ids: readonly string[] }): ReactNode {
  if (ids.length === 0) return null;
  const linked = ids.slice(0, LIMIT);
  return (
    <Link to="/runs" search={{ id: linked }} className={styles.list}>
      {linked.length === 1 ? 'Show the run in the list' : `Show ${linked.length} runs in the list`}
    </Link>
  );
}
