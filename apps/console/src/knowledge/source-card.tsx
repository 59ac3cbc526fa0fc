import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { ActionButton, ConfirmButton } from '../ui/dialog-button.js';
import { formatCount } from '../ui/format-values.js';
import { Card, Disclosure, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { counted } from './base-health.js';
import { HeldDeletions } from './held-deletions.js';
import styles from './knowledge.module.css';
import { baseKey, isSyncing, useConnectorTitle, useSourceTitle } from './knowledge-queries.js';
import type { SourceProps } from './knowledge-types.js';
import { Reauthorise } from './reauthorise.js';
import { scheduleName } from './schedule-fields.js';
import { ChangeSource } from './source-form.js';
import { SyncHistory } from './sync-history.js';
import { SyncReport } from './sync-report.js';

export function SourceCard({ base, source }: SourceProps): ReactNode {
  const title = useConnectorTitle()(source.connector);
  const heading = useSourceTitle()(source);
  return (
    <Card title={heading} actions={<Status value={source.authorization === 'expired' ? 'expired' : source.status} />}>
      {source.authorization === 'expired' && <Reauthorise base={base} source={source} title={title} />}
      <HeldDeletions base={base} source={source} />
      <SourceFacts base={base} source={source} />
      {source.last_sync && (
        <SyncReport
          sync={source.last_sync}
          isExpired={source.authorization === 'expired'}
          retry={<SyncAgain base={base} source={source} />}
        />
      )}
      {source.last_sync && (
        <Disclosure summary="All syncs">
          <SyncHistory base={base} source={source} />
        </Disclosure>
      )}
      <SourceActions base={base} source={source} />
    </Card>
  );
}

function SyncAgain({ base, source }: SourceProps): ReactNode {
  return (
    <ActionButton
      name="Try again"
      refusal={useRefusal('knowledge:write')}
      run={() => aas.sources.sync(base, source.id)}
      changes={baseKey(base)}
    />
  );
}

function SourceFacts({ base, source }: SourceProps): ReactNode {
  const { next_sync_at: next, last_sync: last } = source;
  return (
    <Facts
      facts={[
        [
          'Documents',
          <Link
            key="documents"
            to="/knowledge/$id"
            params={{ id: base }}
            search={{ tab: 'documents', source: source.id }}
          >
            {counted(source.document_count, 'document')}
          </Link>,
        ],
        source.authorization === 'not_required'
          ? null
          : ['Account', <bdi key="account">{source.account ?? 'not reported by the provider'}</bdi>],
        [
          'Schedule',
          <span key="schedule">
            {scheduleName(source.schedule)}
            {source.status === 'paused' && ', paused'}
          </span>,
        ],
        ['Next sync', next === null ? 'none' : <Time key="next" at={next} />],
        last === null ? ['Last sync', 'none'] : null,
      ]}
    />
  );
}

function SourceActions({ base, source }: SourceProps): ReactNode {
  const refusal = useRefusal('knowledge:write');
  const changes = baseKey(base);
  const act = useMutation({
    mutationFn: (action: () => Promise<unknown>) => action(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: changes }),
  });
  const busy = refusal ?? (act.isPending ? 'The service has not responded yet.' : null);
  const sync = source.last_sync;
  const isPaused = source.status === 'paused';
  return (
    <>
      <ProblemAlert error={act.error} />
      <div className={styles.bar}>
        <Button refusal={busy} onClick={() => act.mutate(() => aas.sources.sync(base, source.id))}>
          Sync now
        </Button>
        {sync && isSyncing(source) && (
          <Button refusal={busy} onClick={() => act.mutate(() => aas.syncs.cancel(base, source.id, sync.id))}>
            Cancel sync
          </Button>
        )}
        <ChangeSource base={base} source={source} />
        {source.schedule !== 'manual' && (
          <Button
            refusal={busy}
            onClick={() =>
              act.mutate(() => aas.sources.update(base, source.id, { status: isPaused ? 'active' : 'paused' }))
            }
          >
            {isPaused ? 'Resume schedule' : 'Pause schedule'}
          </Button>
        )}
        <ConfirmButton
          name="Delete source"
          title="Delete the source?"
          refusal={refusal}
          run={() => aas.sources.delete(base, source.id)}
          changes={changes}
        >
          {formatCount(source.document_count)} documents of the source are deleted too. Runs can no longer find them.
          This cannot be undone.
        </ConfirmButton>
      </div>
    </>
  );
}
