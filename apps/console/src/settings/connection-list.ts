import type { aas, Agent } from '../data/api.js';

export type Connection = Awaited<ReturnType<typeof aas.connections.list>>['data'][number];

export const CONNECTIONS = ['connections'];

/** Begins a grant to an agent that does not exist yet. */
export const BY_NAME = 'name:';

/**
 * Returns the names of the agents to which a connection is granted. If an agent is not in `agents`, returns its id
 * instead.
 */
export function agentNames(granted: readonly string[], agents: readonly Pick<Agent, 'id' | 'name'>[]): string[] {
  return granted.map((grant) =>
    grant.startsWith(BY_NAME) ? grant.slice(BY_NAME.length) : (agents.find(({ id }) => id === grant)?.name ?? grant),
  );
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
