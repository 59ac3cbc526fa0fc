import type { aas, Agent } from '../data/api.js';

export type Connection = Awaited<ReturnType<typeof aas.connections.list>>['data'][number];

export const CONNECTIONS = ['connections'];

/** Begins a grant to an agent that does not exist yet. */
export const BY_NAME = 'name:';

/**
 * Returns the agents to which a connection is granted. An agent that is not in `agents` has its id as its name. An agent
 * that was granted by name and is not in `agents` has no id.
 */
export function grantedAgents(
  granted: readonly string[],
  agents: readonly Pick<Agent, 'id' | 'name'>[],
): { id?: string; name: string }[] {
  return granted.map((grant) => {
    const name = grant.startsWith(BY_NAME) ? grant.slice(BY_NAME.length) : undefined;
    const known = agents.find((agent) => agent.id === grant || agent.name === name);
    return known ?? (name === undefined ? { id: grant, name: grant } : { name });
  });
}

/** Returns what is wrong with a connection and what to do, or undefined if tools can use it. */
export function connectionProblem(
  { status, error }: Pick<Connection, 'status' | 'error'>,
  title: string,
): { detail: string; remedy: string } | undefined {
  if (status === 'pending') return { detail: 'No person has granted the permission yet.', remedy: 'Grant it now.' };
  if (status === 'expired')
    return { detail: `${title} no longer accepts the permission.`, remedy: 'A person must grant it again.' };
  if (error === null) return undefined;
  return {
    detail: 'The access token could not be renewed.',
    remedy: 'The next call tries again. If it fails again, authorise the connection again.',
  };
}

const REASONS: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  invalid_request: [
    'The permission was not granted, or the authorisation was started in another browser, used twice or took too long.',
    'Authorise the connection again in this tab, and grant the permission.',
  ],
  unavailable: [
    'The provider could not be reached, or is not configured in this installation.',
    'Try again in a minute. If it fails again, ask the operator of the installation.',
  ],
  not_found: ['The connection was deleted during the authorisation.', 'Create it again.'],
};

/** Explains the error code that the service adds to the page URL. */
export function refusalOfAuthorisation(code: string): { detail: string; remedy: string } {
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const [detail, remedy] = known ?? [
    `The authorisation failed with the error code ${code}.`,
    'Authorise the connection again.',
  ];
  return { detail, remedy };
}
