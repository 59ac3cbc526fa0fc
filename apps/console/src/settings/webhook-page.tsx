import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { nameOf, useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { useCaller, useRefusal } from '../data/session.js';
import { ActionButton, ActionForm, ConfirmButton, DialogButton } from '../ui/dialog-button.js';
import { Card, Facts } from '../ui/page.js';
import { Time } from '../ui/time.js';
import { Deliveries } from './deliveries.js';
import { type EndpointActionProps, TestEvent } from './delivery-actions.js';
import { ChangeEndpoint, SigningSecret } from './endpoint-form.js';
import { GraceChoice, USUAL_GRACE } from '../ui/periods.js';
import { SettingsFrame } from './settings-frame.js';
import { type Endpoint, WEBHOOK_LIST, WEBHOOKS } from './webhook-list.js';
import { EndpointStatus } from './webhooks-page.js';

export function WebhookPage(): ReactNode {
  const { id } = useParams({ strict: false });
  const refusal = useRefusal('webhooks:manage');
  const mayRead = useCaller() !== undefined && refusal === null;
  const { data, error, isPending } = useQuery({
    queryKey: [...WEBHOOKS, id],
    queryFn: () => aas.webhookEndpoints.get(id ?? ''),
    enabled: mayRead,
  });
  return (
    <SettingsFrame
      title={data?.url ?? 'Webhook'}
      heading={data && <bdi>{data.url}</bdi>}
      busy={refusal === null && isPending}
      error={error}
      refusal={refusal}
      facts={data && <EndpointStatus endpoint={data} />}
      actions={data && <Actions endpoint={data} refusal={refusal} />}
    >
      {data && (
        <>
          <Details endpoint={data} />
          <Deliveries endpoint={data} refusal={refusal} />
        </>
      )}
    </SettingsFrame>
  );
}

function Actions({ endpoint, refusal }: EndpointActionProps): ReactNode {
  const navigate = useNavigate();
  const isDisabled = endpoint.status === 'disabled';
  const { id } = endpoint;
  return (
    <>
      <TestEvent endpoint={endpoint} refusal={refusal} />
      <ChangeEndpoint endpoint={endpoint} refusal={refusal} />
      <DialogButton name="Rotate secret" refusal={refusal}>
        {(close) => <RotationForm id={id} onClose={close} />}
      </DialogButton>
      {isDisabled ? (
        <ActionButton
          name="Enable"
          refusal={refusal}
          run={() => aas.webhookEndpoints.update(id, { status: 'enabled' })}
          changes={WEBHOOKS}
        />
      ) : (
        <ConfirmButton
          name="Disable"
          title="Disable the endpoint?"
          refusal={refusal}
          run={() => aas.webhookEndpoints.update(id, { status: 'disabled' })}
          changes={WEBHOOKS}
        >
          The endpoint receives no further events, and pending deliveries are cancelled.
        </ConfirmButton>
      )}
      <ConfirmButton
        name="Delete"
        title="Delete the endpoint?"
        refusal={refusal}
        run={() => aas.webhookEndpoints.delete(id)}
        changes={WEBHOOK_LIST}
        onDone={() => void navigate({ to: '/settings/webhooks' })}
      >
        The endpoint receives no further events, and its deliveries are no longer shown.
      </ConfirmButton>
    </>
  );
}

function RotationForm({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const [grace, setGrace] = useState(USUAL_GRACE);
  return (
    <ActionForm
      action="Rotate secret"
      run={() => aas.webhookEndpoints.rotate(id, { grace_seconds: grace })}
      changes={WEBHOOKS}
      onClose={onClose}
      outcome={({ secret }) => <SigningSecret text={secret} />}
    >
      {() => <GraceChoice value={grace} onChange={setGrace} />}
    </ActionForm>
  );
}

function Details({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { id, events, agents, description, created_at: created, previous_secret_expires_at: previous } = endpoint;
  const known = useAgents();
  return (
    <Card title="Endpoint">
      <Facts
        facts={[
          ['Id', <code key="id">{id}</code>],
          description === '' ? null : ['Description', description],
          ['Events', events.join(', ')],
          ['Agents', agents === null ? 'all' : <AgentLinks key="agents" ids={agents} known={known} />],
          ['Created', <Time key="created" at={created} />],
          previous === null ? null : ['Previous secret', <Time key="previous" at={previous} />],
        ]}
      />
    </Card>
  );
}

function AgentLinks({ ids, known }: { ids: readonly string[]; known: ReturnType<typeof useAgents> }): ReactNode {
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <Link to="/agents/$id" params={{ id }}>
        {nameOf(id, known)}
      </Link>
    </span>
  ));
}
