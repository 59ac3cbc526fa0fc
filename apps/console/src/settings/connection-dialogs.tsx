import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas, fieldProblem } from '../data/api.js';
import { useKnownAgents } from '../data/known-things.js';
import { openAuthorization } from '../knowledge/oauth-return.js';
import type { MenuAction } from '../ui/action-menu.js';
import { MultiComboField } from '../ui/combo-box.js';
import { ActionButton, ActionForm, DialogButton } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { type Tile, Tiles } from '../ui/tiles.js';
import { BY_NAME, type Connection, CONNECTIONS } from './connection-list.js';

const PAGE = '/console/settings/connections';

const PROVIDERS = queryOptions({
  queryKey: ['connection-providers'],
  queryFn: () => aas.connections.listProviders(),
});

interface CreateProps {
  refusal: string | null;
}

export type Provider = Awaited<ReturnType<typeof aas.connections.listProviders>>['data'][number];

/** The known providers. Undefined until the API has responded. */
export function useAllProviders(): readonly Provider[] | undefined {
  return useQuery(PROVIDERS).data?.data;
}

function useConfigured(): readonly Provider[] | undefined {
  return useAllProviders()?.filter(({ available }) => available);
}

/** Returns the title of a provider, or its name if the operator no longer offers it. */
export function useProviderTitle(name: string): string {
  return useAllProviders()?.find((provider) => provider.name === name)?.title ?? name;
}

export function CreateConnection({ refusal }: CreateProps): ReactNode {
  if (useConfigured()?.length === 0) return null;
  return (
    <DialogButton name="Create connection" look="primary" refusal={refusal}>
      {(close) => <NewConnectionForm onClose={close} />}
    </DialogButton>
  );
}

export function ConnectProvider({ provider, refusal }: CreateProps & { provider: Provider }): ReactNode {
  return (
    <DialogButton name={`Connect ${provider.title}`} title="Create connection" refusal={refusal}>
      {(close) => <NewConnectionForm first={provider.name} onClose={close} />}
    </DialogButton>
  );
}

/** What tools do with a connection to a built-in provider. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  github: 'Repositories, issues and pull requests',
  google_drive: 'Files and folders',
  notion: 'Pages and databases',
};

export function providerUse({ name, title }: Provider): string {
  return DESCRIPTIONS[name] ?? `The API of ${title}`;
}

function tileOf(provider: Provider): Tile {
  return { value: provider.name, title: provider.title, description: providerUse(provider) };
}

/** Creates the connection, and then opens the authorisation page of the provider in this tab. */
function NewConnectionForm({ first, onClose }: { first?: string; onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(first);
  const [scopes, setScopes] = useState<string[]>([]);
  const [granted, setGranted] = useState<string[]>([]);
  const providers = useConfigured() ?? [];
  const provider = providers.find((each) => each.name === chosen) ?? providers[0];
  const create = () =>
    aas.connections.create({
      name,
      provider: provider?.name ?? '',
      ...(scopes.length > 0 && { scopes }),
      agents: granted,
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
          <Tiles
            label="Provider"
            tiles={providers.map(tileOf)}
            chosen={provider?.name}
            onChoose={setChosen}
            problem={fieldProblem(error, '/provider')}
          />
          <p>You grant the permission at the provider in this tab. Then you return to this page.</p>
          <MultiComboField
            label="Scopes"
            noun="scope"
            chosen={scopes}
            onChange={setScopes}
            options={(provider?.scopes ?? []).map((value) => ({ value }))}
            others={SCOPES}
            hint={scopesHint(provider?.scopes ?? [])}
            problem={fieldProblem(error, '/scopes')}
          />
          <AgentsField chosen={granted} onChange={setGranted} error={error} />
        </>
      )}
    </ActionForm>
  );
}

/** Each provider has scopes that the service does not know. */
const SCOPES = {
  form: 'a scope of the provider, which has no spaces',
  read: (text: string): string | undefined => (/\s/.test(text) ? undefined : text),
};

function scopesHint(usual: readonly string[]): string {
  if (usual.length === 0) return 'If you choose none, the provider decides what the connection may do.';
  return `If you choose none, the usual scopes of the provider are requested: ${usual.join(' ')}.`;
}

interface AgentsFieldProps {
  /** Ids of agents, or names of agents that do not exist yet, as `name:<name>`. */
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error: unknown;
}

function AgentsField({ chosen, onChange, error }: AgentsFieldProps): ReactNode {
  const { options, onSearch } = useKnownAgents();
  const named = chosen.flatMap((value) =>
    value.startsWith(BY_NAME) ? { value, label: value.slice(BY_NAME.length) } : [],
  );
  return (
    <MultiComboField
      label="Agents"
      noun="agent"
      chosen={chosen}
      onChange={onChange}
      options={[...options, ...named]}
      onSearch={onSearch}
      hint="The agents that may use the connection."
      problem={fieldProblem(error, '/agents')}
    />
  );
}

export function changeAgents(connection: Connection): MenuAction {
  return {
    name: 'Change agents',
    title: `Agents of ${connection.name}`,
    children: (close) => <AgentsForm connection={connection} onClose={close} />,
  };
}

function AgentsForm({ connection, onClose }: { connection: Connection; onClose: () => void }): ReactNode {
  const [granted, setGranted] = useState(connection.agents);
  return (
    <ActionForm
      action="Change agents"
      run={() => aas.connections.update(connection.id, { agents: granted })}
      changes={CONNECTIONS}
      onClose={onClose}
    >
      {(error) => <AgentsField chosen={granted} onChange={setGranted} error={error} />}
    </ActionForm>
  );
}

/** Opens the authorisation page of the provider in this tab. */
function authorisation({ id }: Connection) {
  return {
    run: () => aas.connections.authorize(id),
    changes: CONNECTIONS,
    onDone: ({ authorize_url: url }: { authorize_url: string }) => openAuthorization(url, PAGE),
  };
}

export function Authorise({ connection, refusal }: CreateProps & { connection: Connection }): ReactNode {
  const name = connection.status === 'pending' ? 'Authorise' : 'Authorise again';
  return <ActionButton name={name} refusal={refusal} {...authorisation(connection)} />;
}

export function authoriseAgain(connection: Connection): MenuAction {
  return {
    name: 'Authorise again',
    title: `Authorise ${connection.name} again`,
    children: (close) => (
      <ActionForm action="Authorise again" {...authorisation(connection)} onClose={close}>
        {() => <p>The page of the provider opens in this tab. Then you return to this list.</p>}
      </ActionForm>
    ),
  };
}
