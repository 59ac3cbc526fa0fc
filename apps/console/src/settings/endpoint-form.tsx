import { type ReactNode, useState } from 'react';
import { useKnownAgents } from '../data/known-things.js';
import { aas, fieldProblem } from '../data/api.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { MultiComboField } from '../ui/combo-box.js';
import { Checklist, TextField } from '../ui/field.js';
import { ShownOnce } from '../ui/copy-button.js';
import { type Endpoint, EVENT_TYPES, type EventType, WEBHOOKS } from './webhook-list.js';

interface Draft {
  url: string;
  events: EventType[];
  /** Ids of the agents whose events the endpoint receives. If empty, it receives the events of all agents. */
  agents: string[];
  description: string;
}

const NEW: Draft = { url: '', events: [], agents: [], description: '' };

function bodyOf({ agents, ...draft }: Draft) {
  return { ...draft, agents: agents.length > 0 ? agents : null };
}

export function CreateEndpoint({ refusal }: { refusal: string | null }): ReactNode {
  return (
    <DialogButton name="Create endpoint" look="primary" refusal={refusal}>
      {(close) => <NewEndpointForm onClose={close} />}
    </DialogButton>
  );
}

function NewEndpointForm({ onClose }: { onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(NEW);
  return (
    <ActionForm
      action="Create endpoint"
      run={() => aas.webhookEndpoints.create(bodyOf(draft))}
      changes={WEBHOOKS}
      onClose={onClose}
      outcome={({ secret }) => <SigningSecret text={secret} />}
    >
      {(error) => <EndpointFields draft={draft} onChange={setDraft} error={error} />}
    </ActionForm>
  );
}

export interface ChangeEndpointProps {
  endpoint: Endpoint;
  refusal: string | null;
}

export function ChangeEndpoint({ endpoint, refusal }: ChangeEndpointProps): ReactNode {
  return (
    <DialogButton name="Change" title="Change the endpoint" refusal={refusal}>
      {(close) => <ChangeForm endpoint={endpoint} onClose={close} />}
    </DialogButton>
  );
}

function ChangeForm({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }): ReactNode {
  const { id, url, events, agents, description } = endpoint;
  const [draft, setDraft] = useState<Draft>({ url, events, agents: agents ?? [], description });
  return (
    <ActionForm
      action="Change"
      run={() => aas.webhookEndpoints.update(id, bodyOf(draft))}
      changes={WEBHOOKS}
      onClose={onClose}
    >
      {(error) => <EndpointFields draft={draft} onChange={setDraft} error={error} />}
    </ActionForm>
  );
}

interface EndpointFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  error: unknown;
}

function EndpointFields({ draft, onChange, error }: EndpointFieldsProps): ReactNode {
  const agents = useKnownAgents();
  return (
    <>
      <TextField
        label="URL"
        value={draft.url}
        onChange={(url) => onChange({ ...draft, url })}
        autoFocus
        hint="The service sends signed HTTP POST requests to this URL."
        problem={fieldProblem(error, '/url')}
      />
      <Checklist
        label="Events"
        chosen={draft.events}
        onChange={(chosen) => onChange({ ...draft, events: EVENT_TYPES.filter((type) => chosen.includes(type)) })}
        options={EVENT_TYPES.map((value) => ({ value }))}
        problem={fieldProblem(error, '/events')}
      />
      <MultiComboField
        label="Agents"
        noun="agent"
        chosen={draft.agents}
        onChange={(chosen) => onChange({ ...draft, agents: chosen })}
        options={agents.options}
        onSearch={agents.onSearch}
        hint="If you choose none, the endpoint receives the events of all agents."
        problem={fieldProblem(error, '/agents')}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => onChange({ ...draft, description })}
        problem={fieldProblem(error, '/description')}
      />
    </>
  );
}

export function SigningSecret({ text }: { text: string }): ReactNode {
  return (
    <ShownOnce label="Signing secret" text={text}>
      The receiver needs this secret to verify the signatures. Copy it now: it is not shown again.
    </ShownOnce>
  );
}
