import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas, type Agent } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { objectOf } from '../plan/definition-json.js';
import { Button } from '../ui/button.js';
import { ShownOnce } from '../ui/copy-button.js';
import { Choice } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import styles from './agents.module.css';
import { CurlExample } from './curl-example.js';
import { exampleInput, inputFields } from './input-fields.js';
import { exampleBody } from './webhook-example.js';

/** Grace periods, in seconds. After a rotation, the previous webhook secret stays valid for the chosen period. */
const GRACES = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'not at all' },
];

interface WebhookAddressProps {
  agent: Agent;
  definition: unknown;
  trigger: string;
  /** True if the agent has no other webhook trigger. The address then names none. */
  isOnly: boolean;
}

export function WebhookAddress({ agent, definition, trigger, isOnly }: WebhookAddressProps): ReactNode {
  const query = isOnly ? '' : `?trigger=${encodeURIComponent(trigger)}`;
  const input = exampleInput(inputFields(objectOf(definition).input) ?? []);
  return (
    <>
      <CurlExample
        path={`/v1/agents/${agent.id}/trigger${query}`}
        header={['X-Service-Webhook-Secret', '<SECRET>']}
        body={exampleBody(definition, trigger, input)}
      />
      <SecretRotation agent={agent} />
    </>
  );
}

function SecretRotation({ agent }: { agent: Agent }): ReactNode {
  const [grace, setGrace] = useState('86400');
  const refusal = useRefusal('agents:write');
  const rotate = useMutation({
    mutationFn: () => aas.agents.rotateWebhookSecret(agent.id, { grace_seconds: Number(grace) }),
  });
  return (
    <>
      <div className={styles.rotation}>
        <Choice label="Previous secret stays valid" value={grace} onChange={setGrace} options={GRACES} />
        <Button
          refusal={refusal ?? (rotate.isPending ? 'The service has not responded yet.' : null)}
          onClick={() => rotate.mutate()}
        >
          Rotate secret
        </Button>
      </div>
      <div role="status">
        {rotate.data && (
          <ShownOnce label="Webhook secret" text={rotate.data.webhook_secret}>
            The new secret is shown only now. The previous one is valid until{' '}
            <Time at={rotate.data.previous_valid_until} />.
          </ShownOnce>
        )}
      </div>
      <ProblemAlert error={rotate.error} />
    </>
  );
}
