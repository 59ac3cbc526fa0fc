import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { formatCount } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Elapsed, Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { baseKey } from './knowledge-queries.js';
import type { SourceProps, Sync } from './knowledge-types.js';
import styles from './knowledge.module.css';

const COLUMNS: readonly Column<Sync>[] = [
  { name: 'Started', cell: (sync) => <Time at={sync.started_at ?? sync.created_at} /> },
  { name: 'Status', cell: (sync) => <Outcome sync={sync} /> },
  {
    name: 'Took',
    kind: 'optional-number',
    cell: ({ started_at: since, ended_at: end }) => (since === null ? '–' : <Elapsed since={since} end={end} />),
  },
  { name: 'Added', kind: 'number', cell: ({ progress }) => formatCount(progress.added) },
  { name: 'Updated', kind: 'number', cell: ({ progress }) => formatCount(progress.updated) },
  { name: 'Deleted', kind: 'number', cell: ({ progress }) => formatCount(progress.deleted) },
  { name: 'Failed', kind: 'optional-number', cell: ({ progress }) => formatCount(progress.failed) },
  { name: 'Requested by', kind: 'optional', cell: ({ requested_by: by }) => by ?? 'schedule' },
];

function Outcome({ sync: { status, error } }: { sync: Sync }): ReactNode {
  return (
    <>
      <Status value={status} />
      {error !== null && (
        <div className={styles.second}>
          <Word kind="error" value={error.code} />
        </div>
      )}
    </>
  );
}

export function SyncHistory({ base, source }: SourceProps): ReactNode {
  const list = usePagedList([...baseKey(base), 'syncs', source.id], (page) =>
    aas.syncs.list(base, source.id, { ...page, limit: 20 }),
  );
  return (
    <>
      <ProblemAlert error={list.error} />
      <PagedTable
        label="Syncs"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title="No sync yet" />}
      />
    </>
  );
}
