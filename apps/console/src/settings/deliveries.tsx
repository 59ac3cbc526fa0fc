import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { choices } from '../runs/run-filters.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ActionButton } from '../ui/dialog-button.js';
import { Choice } from '../ui/field.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import { deliveryRefusal, type EndpointActionProps, RetryAll } from './delivery-actions.js';
import { DeliveryDetails } from './delivery-details.js';
import { attemptResult, DeliveryStatus, isAboutToChange } from './delivery-status.js';
import styles from './settings.module.css';
import { type Delivery, type Endpoint, WEBHOOKS } from './webhook-list.js';

const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const satisfies readonly Delivery['status'][];

export function Deliveries({ endpoint, refusal }: EndpointActionProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const status = one(search.status) ?? '';
  const opened = one(search.delivery);
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
        <RetryAll endpoint={endpoint} refusal={refusal} />
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
        below={(delivery) => (delivery.id === opened ? <DeliveryDetails delivery={delivery} /> : null)}
        list={list}
        empty={<Empty title={status === '' ? 'Nothing was sent yet' : 'No results'} />}
      />
    </>
  );
}

function columns(endpoint: Endpoint, refusal: string | null): readonly Column<Delivery>[] {
  return [
    { name: 'Event', cell: (delivery) => <Event delivery={delivery} /> },
    { name: 'Status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { name: 'Attempts', kind: 'optional-number', cell: ({ attempts }) => attempts },
    { name: 'Response', kind: 'optional', cell: (delivery) => attemptResult(delivery) ?? '–' },
    {
      name: 'Last attempt',
      kind: 'optional',
      cell: ({ last_attempt_at: at }) => (at === null ? '–' : <Time at={at} />),
    },
    {
      name: 'Actions',
      kind: 'actions',
      cell: (delivery) => (
        <div>
          <ActionButton
            name="Retry"
            refusal={deliveryRefusal({ endpoint, refusal })}
            run={() => aas.webhookDeliveries.retry(endpoint.id, delivery.id)}
            changes={WEBHOOKS}
          />
        </div>
      ),
    },
  ];
}

/** Opens or closes the request and the response of the delivery. */
function Event({ delivery }: { delivery: Delivery }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const isOpen = one(search.delivery) === delivery.id;
  return (
    <>
      <Link
        to="."
        search={{ ...search, delivery: isOpen ? undefined : delivery.id }}
        resetScroll={false}
        aria-expanded={isOpen}
      >
        {delivery.event_type}
      </Link>
      <div className={styles.second}>
        <code>{delivery.event}</code>
      </div>
    </>
  );
}
