import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TestApprovals } from '../approvals/next-approval.js';
import { aas } from '../data/api.js';
import { useCaller } from '../data/session.js';
import { useRefreshOnRuns, useWaitingApprovals } from '../live/changes.js';
import { approvalEntry, type AttentionEntry } from '../overview/attention-entries.js';
import { AttentionList, failedOfDay, useProblems } from '../overview/attention.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { upTo99 } from '../ui/format-values.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './needs-you.module.css';

const SHOWN = 5;
const FAILED = ['runs', 'failed', 'own'];

/** What waits for the person, their failed runs, and what is wrong in the workspace. A chosen link closes the dialog. */
export function NeedsYou({ onClose }: { onClose: () => void }): ReactNode {
  const member = useCaller()?.member;
  const mine = useWaitingApprovals();
  const approvals = useQuery({
    queryKey: ['approvals', 'own'],
    queryFn: () =>
      aas.approvals.list({ mine: true, mode: 'production', sort: 'expires_at', order: 'asc', limit: SHOWN }),
  });
  const failed = useQuery({
    queryKey: [...FAILED, member],
    queryFn: () => aas.runs.list({ ...failedOfDay(), initiator: member, limit: SHOWN }),
    enabled: member !== undefined,
  });
  useRefreshOnRuns(FAILED);
  const problems = useProblems();
  const own = new Set(failed.data?.data.map(({ agent }) => agent));
  const waiting = approvals.data?.data.map(approvalEntry);
  const runs = failed.data?.data.map(({ id, agent_name: subject, error, ended_at: at }): AttentionEntry => ({
    key: id,
    status: 'failed',
    subject,
    text: 'failed',
    path: `/runs/${id}`,
    ...(error && { detail: error.message }),
    ...(at !== null && { time: ['ended', at] }),
  }));
  return (
    <Dialog title="What needs you" isOpen onClose={onClose}>
      <div
        className={styles.parts}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('a')) onClose();
        }}
      >
        <ProblemAlert error={approvals.error ?? failed.error ?? problems.error} />
        <Part title="Waits for your decision" empty="No approval waits for you." entries={waiting} />
        {mine > SHOWN && <Link to="/approvals">All {upTo99(mine)} approvals</Link>}
        <TestApprovals />
        <Part title="Your failed runs of 24 hours" empty="None of your runs failed." entries={runs} />
        <Part
          title="In the workspace"
          empty="Nothing else is wrong."
          entries={problems.isComplete ? problems.entries.filter(({ key }) => !own.has(key)) : undefined}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

interface PartProps {
  title: string;
  empty: string;
  /** Undefined until they are read. */
  entries: readonly AttentionEntry[] | undefined;
}

function Part({ title, empty, entries }: PartProps): ReactNode {
  return (
    <section aria-busy={entries === undefined}>
      <h3>{title}</h3>
      {entries && (entries.length === 0 ? <p>{empty}</p> : <AttentionList label={title} entries={entries} />)}
    </section>
  );
}
