import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Choice } from '../ui/field.js';
import { Card, Empty, Page } from '../ui/page.js';
import { Time } from '../ui/time.js';
import table from '../ui/table.module.css';
import { Word } from '../ui/word.js';
import { BulkButton } from './bulk-button.js';
import styles from './runs.module.css';

type ErrorGroup = Awaited<ReturnType<typeof aas.statistics.errors>>['data'][number];

const DAY_MILLIS = 86_400_000;
const USUAL_DAYS = '7';
const PERIODS = [
  { value: '1', label: 'Last 24 hours' },
  { value: USUAL_DAYS, label: 'Last 7 days' },
  { value: '31', label: 'Last 31 days' },
];

/** Errors of production runs: runs that failed alike are one row. */
export function ErrorsPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const days = one(search.days) ?? USUAL_DAYS;
  const { data, error, isPending } = useQuery({
    queryKey: ['runs', 'errors', days],
    queryFn: () =>
      aas.statistics.errors({
        mode: 'production',
        since: new Date(Date.now() - Number(days) * DAY_MILLIS).toISOString(),
      }),
  });
  return (
    <Page title="Errors" busy={isPending} error={error}>
      <div className={styles.filters}>
        <Choice
          compact
          label="Period"
          value={days}
          options={PERIODS}
          onChange={(value) => void navigate({ to: '.', search: { days: value === USUAL_DAYS ? undefined : value } })}
        />
        <Link to="/runs" search={{ status: 'failed' }}>
          All failed runs
        </Link>
      </div>
      {data && (
        <Card flush>
          {data.data.length === 0 ? (
            <Empty title="No errors">
              <p>No production run has failed in this period.</p>
            </Empty>
          ) : (
            <DataTable
              label="Errors"
              columns={COLUMNS}
              rows={data.data}
              rowKey={({ agent, error_group: group }) => `${agent} ${group}`}
            />
          )}
        </Card>
      )}
    </Page>
  );
}

const runsOf = ({ agent, error_group }: ErrorGroup): Search => ({ agent, error_group, mode: 'production' });

const COLUMNS: readonly Column<ErrorGroup>[] = [
  {
    name: 'Error',
    cell: (group) => (
      <>
        <Link to="/runs" search={runsOf(group)} className={table.main}>
          {group.message === '' ? group.code : group.message}
        </Link>
        <div className={table.muted}>
          <Word kind="error" value={group.code} />
          {group.step !== null && (
            <>
              {' at '}
              <code>{group.step}</code>
            </>
          )}
          {' of '}
          <Link to="/agents/$id" params={{ id: group.agent }}>
            <bdi>{group.agent_name}</bdi>
          </Link>
        </div>
      </>
    ),
  },
  { name: 'Runs', kind: 'number', cell: ({ runs }) => runs.toLocaleString() },
  {
    name: 'First seen',
    kind: 'optional',
    cell: ({ first_at: at, first_version: version }) => (
      <>
        <Time at={at} />
        <div className={table.muted}>version&nbsp;{version}</div>
      </>
    ),
  },
  {
    name: 'Last seen',
    kind: 'optional',
    cell: ({ last_at: at, last_version: version, last_run: id }) => (
      <>
        <Link to="/runs/$id" params={{ id }}>
          <Time at={at} />
        </Link>
        <div className={table.muted}>version&nbsp;{version}</div>
      </>
    ),
  },
  {
    name: 'Actions',
    kind: 'actions',
    cell: (group) => (
      <div>
        <BulkButton action="replay" runs={{ search: runsOf(group) }} />
      </div>
    ),
  },
];
