import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Octagon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal, useWorkspace, WORKSPACE } from '../data/session.js';
import { useChanges } from '../live/changes.js';
import { Time } from '../ui/time.js';
import styles from './stopped-banner.module.css';

/** If the workspace is stopped, shows who stopped it, when and why, and how many tool calls are still in progress. */
export function StoppedBanner(): ReactNode {
  const workspace = useWorkspace();
  const refusal = useRefusal('workspace:stop');
  const epoch = useChanges()?.workspace.epoch;
  // A stop can lie between the answers of the workspace and of the change feed, whichever comes first.
  const isOld = workspace !== undefined && epoch !== undefined && workspace.epoch < epoch;
  useEffect(() => {
    if (isOld) void queryClient.invalidateQueries({ queryKey: WORKSPACE });
  }, [isOld, epoch]);
  if (workspace?.status !== 'stopped') return <div />;
  const { stopped_at: since, stopped_by: by, reason } = workspace;
  return (
    <div className={styles.banner} role="status">
      <Octagon size={16} aria-hidden />
      <p>
        <strong>All agents are stopped.</strong> {by}
        {since !== null && (
          <>
            , <Time at={since} />
          </>
        )}
        {reason !== null ? `: ${reason.replace(/\.$/, '')}` : ', without a reason'}. <CallsInFlight />
      </p>
      <Link to="/stop">{refusal === null ? 'Show and resume' : 'Show the stop'}</Link>
    </div>
  );
}

const EVERY_MILLIS = 5_000;

function CallsInFlight(): ReactNode {
  const { data } = useQuery({
    queryKey: WORKSPACE,
    queryFn: () => aas.workspace.get(),
    refetchInterval: ({ state }) => ((state.data?.in_flight.length ?? 0) > 0 ? EVERY_MILLIS : false),
  });
  const calls = data?.in_flight.length ?? 0;
  if (calls === 0) return 'No call is in flight.';
  return calls === 1 ? '1 call is in flight.' : `${calls} calls are in flight.`;
}
