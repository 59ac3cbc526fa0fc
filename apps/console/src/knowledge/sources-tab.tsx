import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import controls from '../ui/controls.module.css';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Notice } from '../ui/notice.js';
import styles from './knowledge.module.css';
import { baseKey, isSyncing, useSources } from './knowledge-queries.js';
import { OauthRefusal } from './reauthorise.js';
import { SourceCard } from './source-card.js';
import { UploadZone } from './upload-zone.js';
import type { BaseTabProps, Source } from './knowledge-types.js';

/** Shows at most 100 sources of the knowledge base. */
export function SourcesTab({ id }: BaseTabProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const { data, error, isPending } = useSources(id);
  const sources = failingFirst(data?.data ?? []);
  useReloadAfterSync(id, sources.some(isSyncing));
  const connected = sources.find((source) => source.id === one(search.connected));
  return (
    <div className={styles.stack} aria-busy={isPending}>
      <OauthRefusal code={one(search.error)} />
      {connected && <Notice tone="green">The permission is renewed. Sync the source to read it now.</Notice>}
      <ProblemAlert error={error} />
      <div className={styles.bar}>
        <ConnectLink id={id} />
      </div>
      {data && <UploadZone base={id} />}
      {data && sources.length === 0 && <NoSource />}
      {sources.map((source) => (
        <SourceCard key={source.id} base={id} source={source} />
      ))}
      {data?.next_cursor !== undefined && <p className={styles.second}>Only the first 100 sources are shown.</p>}
    </div>
  );
}

function failingFirst(sources: readonly Source[]): Source[] {
  const isFailing = ({ status, authorization, last_sync: sync }: Source): boolean =>
    status === 'error' || authorization === 'expired' || (sync !== null && sync.failures.length > 0);
  return [...sources.filter(isFailing), ...sources.filter((source) => !isFailing(source))];
}

/** When no sync is running any more, reads the counts and documents of the knowledge base again. */
function useReloadAfterSync(id: string, isBusy: boolean): void {
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) {
      void queryClient.invalidateQueries({ queryKey: [...baseKey(id), 'base'] });
      void queryClient.invalidateQueries({ queryKey: [...baseKey(id), 'documents'] });
    }
    wasBusy.current = isBusy;
  }, [id, isBusy]);
}

function ConnectLink({ id }: { id: string }): ReactNode {
  const refusal = useRefusal('knowledge:write');
  return (
    <>
      <Link
        to="/knowledge/$id/connect"
        params={{ id }}
        className={`${controls.button} ${refusal === null ? controls.primary : ''}`}
      >
        Connect a source
      </Link>
      {refusal !== null && <span className={styles.second}>{refusal}</span>}
    </>
  );
}

function NoSource(): ReactNode {
  return (
    <Empty title="No source yet">
      <p>Drop files on the zone above, or connect a website, a database, a repository or a drive.</p>
    </Empty>
  );
}
