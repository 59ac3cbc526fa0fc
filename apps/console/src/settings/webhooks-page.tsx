import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useCaller, useRefusal } from '../data/session.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Empty } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { word } from '../data/words.js';
import { CreateEndpoint } from './endpoint-form.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';
import { type Endpoint, WEBHOOK_LIST } from './webhook-list.js';

export function WebhooksPage(): ReactNode {
  const refusal = useRefusal('webhooks:manage');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(WEBHOOK_LIST, (page) => aas.webhookEndpoints.list({ ...page, limit: 100 }), {
    enabled: mayList,
  });
  return (
    <SettingsFrame
      title="Webhooks"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={<CreateEndpoint refusal={refusal} />}
    >
      <PagedTable
        label="Webhooks"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Empty title="No endpoint yet">
            <p>An endpoint is a URL of your system. The service sends a signed message to it for each event.</p>
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

const COLUMNS: readonly Column<Endpoint>[] = [
  { name: 'URL', cell: (endpoint) => <Address endpoint={endpoint} /> },
  { name: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  { name: 'Events', kind: 'optional', cell: ({ events }) => events.join(', ') },
  { name: 'Created', kind: 'optional', cell: ({ created_at: at }) => <Time at={at} /> },
];

function Address({ endpoint }: { endpoint: Endpoint }): ReactNode {
  return (
    <>
      <Link to="/settings/webhooks/$id" params={{ id: endpoint.id }} className={styles.breakable}>
        <bdi>{endpoint.url}</bdi>
      </Link>
      {endpoint.description !== '' && <div className={styles.second}>{endpoint.description}</div>}
    </>
  );
}

/** Shows the status of an endpoint. If deliveries fail, also shows since when. */
export function EndpointStatus({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { status, failing_since: failingSince, disabled_reason: reason } = endpoint;
  return (
    <>
      <Status value={status} />
      {reason !== null && <span className={styles.second}> {word('disabled', reason)}</span>}
      {failingSince !== null && (
        <div className={styles.alarm}>
          failing, first failure <Time at={failingSince} />
        </div>
      )}
    </>
  );
}
