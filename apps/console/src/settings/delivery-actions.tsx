import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas } from '../data/api.js';
import { ActionButton } from '../ui/dialog-button.js';
import { attemptResult, isAboutToChange, isRetrying } from './delivery-status.js';
import styles from './settings.module.css';
import { type Delivery, type Endpoint, WEBHOOKS } from './webhook-list.js';

const COUNTED = 100;
const REFETCH_MILLIS = 5_000;
const TEST_REFETCH_MILLIS = 1_000;

export interface EndpointActionProps {
  endpoint: Endpoint;
  refusal: string | null;
}

export function deliveryRefusal({ endpoint, refusal }: EndpointActionProps): string | null {
  return refusal ?? (endpoint.status === 'disabled' ? 'The endpoint is disabled. Enable it first.' : null);
}

/** Is shown only if a delivery has failed or waits for another attempt. */
export function RetryAll(props: EndpointActionProps): ReactNode {
  const { id } = props.endpoint;
  const { data } = useQuery({
    queryKey: [...WEBHOOKS, id, 'deliveries', 'unsuccessful'],
    queryFn: () => aas.webhookDeliveries.list(id, { status: ['failed', 'pending'], limit: COUNTED }),
    refetchInterval: ({ state }) => state.data?.data.some(isAboutToChange) === true && REFETCH_MILLIS,
  });
  const [retried, setRetried] = useState<number>();
  const count = data?.data.filter((delivery) => delivery.status === 'failed' || isRetrying(delivery)).length ?? 0;
  return (
    <>
      {count > 0 && (
        <ActionButton
          name={`Retry all failed (${data?.next_cursor === undefined ? count : `${count}+`})`}
          refusal={deliveryRefusal(props)}
          run={() => aas.webhookDeliveries.retryAll(id)}
          changes={WEBHOOKS}
          onDone={(result) => setRetried(result.retried)}
        />
      )}
      <span role="status" className={styles.second}>
        {retried !== undefined &&
          (retried === 1 ? '1 delivery is sent again.' : `${retried} deliveries are sent again.`)}
      </span>
    </>
  );
}

/** Sends a test event and says how its first attempt ended. */
export function TestEvent(props: EndpointActionProps): ReactNode {
  const { id } = props.endpoint;
  const [sent, setSent] = useState<Delivery>();
  const { data } = useQuery({
    queryKey: [...WEBHOOKS, id, 'test', sent?.id],
    queryFn: () => aas.webhookDeliveries.get(id, sent?.id ?? ''),
    enabled: sent !== undefined,
    refetchInterval: ({ state }) => (state.data?.attempts ? false : TEST_REFETCH_MILLIS),
  });
  return (
    <>
      <ActionButton
        name="Send test event"
        look="primary"
        refusal={deliveryRefusal(props)}
        run={() => aas.webhookEndpoints.test(id)}
        changes={WEBHOOKS}
        onDone={setSent}
      />
      <span role="status" className={styles.second}>
        {sent && testResult(data ?? sent)}
      </span>
    </>
  );
}

function testResult(delivery: Delivery): string {
  const result = attemptResult(delivery);
  if (result === null) return 'The test event is being sent.';
  return delivery.status === 'delivered' ? `Test event delivered: ${result}` : `Test event not delivered: ${result}`;
}
