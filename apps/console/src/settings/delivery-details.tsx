import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import { curlCommand } from '../ui/curl.js';
import { CopyButton } from '../ui/copy-button.js';
import { JsonTree } from '../ui/json-tree.js';
import { JsonView } from '../ui/json-view.js';
import { Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { SkeletonRows } from '../ui/skeleton.js';
import { Time } from '../ui/time.js';
import { attemptResult } from './delivery-status.js';
import styles from './settings.module.css';
import { type Delivery, WEBHOOKS } from './webhook-list.js';

/** The request of a delivery beside its last response. Renders both only as text, because they are not trusted. */
export function DeliveryDetails({ delivery }: { delivery: Delivery }): ReactNode {
  const { endpoint, id, attempts, status } = delivery;
  const { data, error } = useQuery({
    queryKey: [...WEBHOOKS, endpoint, 'delivery', id, attempts, status],
    queryFn: () => aas.webhookDeliveries.get(endpoint, id),
  });
  if (data === undefined) return error === null ? <SkeletonRows /> : <ProblemAlert error={error} />;
  return (
    <div className={styles.exchange}>
      <section aria-label="Request">
        <h3>Request</h3>
        {data.request === null ? (
          <p>The event concerns an agent that your API key does not see.</p>
        ) : (
          <Request {...data.request} />
        )}
      </section>
      <section aria-label="Response">
        <h3>Response</h3>
        <Response delivery={data} />
      </section>
    </div>
  );
}

type SentRequest = NonNullable<Awaited<ReturnType<typeof aas.webhookDeliveries.get>>['request']>;

function Request({ method, url, headers, body }: SentRequest): ReactNode {
  return (
    <>
      <p className={styles.breakable}>
        <code>
          {method} {url}
        </code>
      </p>
      <Facts facts={Object.entries(headers).map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      <p className={styles.second}>Each attempt also has its own timestamp and signature, which are not stored.</p>
      <JsonTree label="Body" value={JSON.parse(body) as unknown} />
      <div>
        <CopyButton text={curlCommand({ method, url, headers, body })} name="Copy as curl" />
      </div>
    </>
  );
}

function Response({ delivery }: { delivery: Delivery }): ReactNode {
  const { response_status: status, response_body: body, last_attempt_at: last } = delivery;
  if (last === null) return <p>No attempt has ended yet.</p>;
  return (
    <>
      <p className={styles.breakable}>
        {attemptResult(delivery)}, <Time at={last} />
      </p>
      {status !== null && body !== null && body !== '' && <ResponseBody body={body} />}
    </>
  );
}

/** Maximum number of bytes that the API stores of a response. */
const STORED_BYTES = 1_024;

function ResponseBody({ body }: { body: string }): ReactNode {
  const value = jsonOrText(body);
  if (typeof value === 'object') return <JsonTree label="Response body" value={value} />;
  const isCut = new TextEncoder().encode(body).length >= STORED_BYTES;
  return <JsonView label={`Response body${isCut ? ', first 1,024 bytes' : ''}`} value={body} />;
}
