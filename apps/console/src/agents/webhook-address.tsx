import { type ReactNode, useState } from 'react';
import { aas, type Agent } from '../data/api.js';
import { objectOf } from '../plan/definition-json.js';
import type { MenuAction } from '../ui/action-menu.js';
import { ShownOnce } from '../ui/copy-button.js';
import { ActionForm } from '../ui/dialog-button.js';
import { GraceChoice, USUAL_GRACE } from '../ui/periods.js';
import { Time } from '../ui/time.js';
import { CurlExample } from './curl-example.js';
import { exampleInput, inputFields } from './input-fields.js';
import { exampleBody } from './webhook-example.js';

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
    <CurlExample
      path={`/v1/agents/${agent.id}/trigger${query}`}
      header={['X-Service-Webhook-Secret', '<SECRET>']}
      body={exampleBody(definition, trigger, input)}
    />
  );
}

export function rotateSecret(agent: Agent): MenuAction {
  return { name: 'Rotate secret', children: (close) => <RotationForm agent={agent} onClose={close} /> };
}

function RotationForm({ agent, onClose }: { agent: Agent; onClose: () => void }): ReactNode {
  const [grace, setGrace] = useState(USUAL_GRACE);
  return (
    <ActionForm
      action="Rotate secret"
      run={() => aas.agents.rotateWebhookSecret(agent.id, { grace_seconds: grace })}
      changes={['agent', agent.id]}
      outcome={({ webhook_secret: secret, previous_valid_until: end }) => (
        <ShownOnce label="Webhook secret" text={secret}>
          The new secret is shown only now. The previous one is valid until <Time at={end} />.
        </ShownOnce>
      )}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            All webhook triggers of <bdi>{agent.name}</bdi> get a new secret.
          </p>
          <GraceChoice value={grace} onChange={setGrace} />
        </>
      )}
    </ActionForm>
  );
}
