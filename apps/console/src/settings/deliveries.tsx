import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { choices } from '../runs/run-filters.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ActionButton } from '../ui/dialog-button.js';
import { Choice } from '../ui/field.js';
import { formatDuration } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './settings.module.css';
import { type Delivery, type Endpoint, WEBHOOKS } from './webhook-list.js';

const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const satisfies readonly Delivery['status'][];
const SOON_MILLIS = 60_000;

export interface DeliveriesProps {
  endpoint: Endpoint;
  refusal: string | null;
}

export function Deliveries({ endpoint, refusal }: DeliveriesProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const status = one(search.status) ?? '';
  const list = usePagedList(
    [...WEBHOOKS, endpoint.id, 'deliveries', status],
    (page) =>
      aas.webhookDeliveries.list(endpoint.id, {
        ...page,
        limit: 50,
        ...(status !== '' && { status: [status as Delivery['status']] }),
      }),
    { changesSoon: (deliveries) => deliveries.some(isAboutToChange) },
  );
  const show = (value: string): void =>
    void navigate({ to: '.', search: { ...search, status: value === '' ? undefined : value } });
  return (
    <>
      <div className={styles.listHead}>
        <h2>Deliveries</h2>
        <Choice
          compact
          label="Status"
          value={status}
          onChange={show}
          options={choices(STATUSES, status, 'Any status')}
        />
      </div>
      <ProblemAlert error={list.error} />
      <PagedTable
        label="Deliveries"
        columns={columns(endpoint, refusal)}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title={status === '' ? 'Nothing was sent yet' : 'No results'} />}
      />
    </>
  );
}

function isAboutToChange({ status, next_attempt_at: next }: Delivery): boolean {
  return status === 'pending' && (next === null || Date.parse(next) < Date.now() + SOON_MILLIS);
}

function columns(endpoint: Endpoint, refusal: string | null): readonly Column<Delivery>[] {
  return [
    { name: 'Event', cell: (delivery) => <Event delivery={delivery} /> },
    { name: 'Status', cell: ({ status }) => <Status value={status} /> },
    { name: 'Attempts', kind: 'optional-number', cell: ({ attempts }) => attempts },
    { name: 'Response', kind: 'optional', cell: (delivery) => <Response delivery={delivery} /> },
    { name: 'Last attempt', kind: 'optional', cell: (delivery) => <LastAttempt delivery={delivery} /> },
    {
      name: 'Actions',
      kind: 'actions',
      cell: (delivery) => (
        <div>
          <ActionButton
            name="Retry"
            refusal={refusal ?? (endpoint.status === 'disabled' ? 'The endpoint is disabled. Enable it first.' : null)}
            run={() => aas.webhookDeliveries.retry(endpoint.id, delivery.id)}
            changes={WEBHOOKS}
          />
        </div>
      ),
    },
  ];
}

function Event({ delivery }: { delivery: Delivery }): ReactNode {
  return (
    <>
      {delivery.event_type}
      <div className={styles.second}>
        <code>{delivery.event}</code>
      </div>
    </>
  );
}

/**
 * Shows the response to a delivery. Renders it only as text, because it comes from another system and is not trusted.
 */
function Response({ delivery }: { delivery: Delivery }): ReactNode {
  const { response_status: status, response_body: body, latency_ms: latency, error } = delivery;
  if (status === null) return error === null ? '–' : <span className={styles.breakable}>{error}</span>;
  const summary = `${status}${latency === null ? '' : `, ${formatDuration(latency)}`}`;
  if (body === null || body === '') return summary;
  return (
    <details className={styles.disclosure}>
      <summary>{summary}</summary>
      <pre dir="auto">{body}</pre>
    </details>
  );
}

function LastAttempt({ delivery }: { delivery: Delivery }): ReactNode {
  const { last_attempt_at: last, next_attempt_at: next } = delivery;
  return (
    <>
      {last === null ? '–' : <Time at={last} />}
      {next !== null && (
        <div className={styles.second}>
          next <Time at={next} />
        </div>
      )}
    </>
  );
}
