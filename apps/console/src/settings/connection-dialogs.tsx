import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas, type Agent, fieldProblem } from '../data/api.js';
import { openAuthorization } from '../knowledge/oauth-return.js';
import { ActionButton, ActionForm, DialogButton } from '../ui/dialog-button.js';
import { Choice, TextField } from '../ui/field.js';
import { agentNames, type Connection, CONNECTIONS, grantsOf, linesOf } from './connection-list.js';

const PAGE = '/console/settings/connections';

interface CreateProps {
  refusal: string | null;
  agents: readonly Agent[];
}

export function CreateConnection({ refusal, agents }: CreateProps): ReactNode {
  return (
    <DialogButton name="Create connection" look="primary" refusal={refusal}>
      {(close) => <NewConnectionForm agents={agents} onClose={close} />}
    </DialogButton>
  );
}

/** Creates the connection, and then opens the authorisation page of the provider in this tab. */
function NewConnectionForm({ agents, onClose }: { agents: readonly Agent[]; onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [scopes, setScopes] = useState('');
  const [granted, setGranted] = useState('');
  const { data } = useQuery({ queryKey: ['connection-providers'], queryFn: () => aas.connections.listProviders() });
  const providers = data?.data ?? [];
  const provider = providers.find((each) => each.name === chosen) ?? providers.find(({ available }) => available);
  const wanted = linesOf(scopes);
  const create = () =>
    aas.connections.create({
      name,
      provider: provider?.name ?? '',
      ...(wanted.length > 0 && { scopes: wanted }),
      agents: grantsOf(granted, agents),
    });
  return (
    <ActionForm
      action="Create connection"
      run={create}
      changes={CONNECTIONS}
      onDone={({ authorize_url: url }) => openAuthorization(url, PAGE)}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            autoFocus
            hint="Definitions refer to the connection by this name."
            problem={fieldProblem(error, '/name')}
          />
          <Choice
            label="Provider"
            value={provider?.name ?? ''}
            onChange={setChosen}
            options={providers.map((each) => ({
              value: each.name,
              label: each.available ? each.title : `${each.title} (not configured)`,
            }))}
            hint="You grant the permission at the provider in this tab. Then you return to this page."
            problem={fieldProblem(error, '/provider')}
          />
          <TextField
            label="Scopes"
            value={scopes}
            onChange={setScopes}
            multiline
            code
            hint={scopesHint(provider?.scopes ?? [])}
            problem={fieldProblem(error, '/scopes')}
          />
          <AgentsField value={granted} onChange={setGranted} error={error} />
        </>
      )}
    </ActionForm>
  );
}

function scopesHint(usual: readonly string[]): string {
  const text = usual.length === 0 ? 'none' : usual.join(' ');
  return `One per line. If you enter none, the usual scopes of the provider are requested: ${text}.`;
}

interface AgentsFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: unknown;
}

function AgentsField({ value, onChange, error }: AgentsFieldProps): ReactNode {
  return (
    <TextField
      label="Agents"
      value={value}
      onChange={onChange}
      multiline
      hint="Names or ids of the agents that may use the connection, one per line."
      problem={fieldProblem(error, '/agents')}
    />
  );
}

interface ChangeProps extends CreateProps {
  connection: Connection;
}

export function ChangeAgents({ connection, agents, refusal }: ChangeProps): ReactNode {
  return (
    <DialogButton name="Change agents" title={`Agents of ${connection.name}`} refusal={refusal}>
      {(close) => <AgentsForm connection={connection} agents={agents} onClose={close} />}
    </DialogButton>
  );
}

interface AgentsFormProps {
  connection: Connection;
  agents: readonly Agent[];
  onClose: () => void;
}

function AgentsForm({ connection, agents, onClose }: AgentsFormProps): ReactNode {
  const [granted, setGranted] = useState(agentNames(connection.agents, agents).join('\n'));
  return (
    <ActionForm
      action="Change agents"
      run={() => aas.connections.update(connection.id, { agents: grantsOf(granted, agents) })}
      changes={CONNECTIONS}
      onClose={onClose}
    >
      {(error) => <AgentsField value={granted} onChange={setGranted} error={error} />}
    </ActionForm>
  );
}

/** Button that opens the authorisation page of the provider in this tab. */
export function AuthoriseAgain({ connection, refusal }: Omit<ChangeProps, 'agents'>): ReactNode {
  return (
    <ActionButton
      name={connection.status === 'pending' ? 'Authorise' : 'Authorise again'}
      refusal={refusal}
      run={() => aas.connections.authorize(connection.id)}
      changes={CONNECTIONS}
      onDone={({ authorize_url: url }) => openAuthorization(url, PAGE)}
    />
  );
}
