import { one, type Search } from '../data/search.js';

/** Request of the CLI, from the query of the address. */
export interface CliRequest {
  /** Port on which the CLI listens for the code. Undefined if the person pastes the code. */
  port: string | undefined;
  challenge: string;
  state: string | undefined;
  /** Name of the computer. */
  name: string;
}

export function cliRequest(search: Search): CliRequest {
  return {
    port: one(search.port),
    challenge: one(search.challenge) ?? '',
    state: one(search.state),
    name: one(search.name) ?? '',
  };
}

/** Why the address cannot come from the CLI. Undefined if the address is valid. */
export function faultOf({ port, challenge, name }: CliRequest): string | undefined {
  if (challenge === '') return 'The address has no `challenge`.';
  if (name === '') return 'The address has no `name`.';
  if (port !== undefined && !isPort(port)) return '`port` must be a whole number from 1 to 65535.';
  return undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** Address at which the CLI waits for the code. It is always on the local computer. */
export function listenerUrl({ port, state }: CliRequest, code: string): string {
  const query = new URLSearchParams({ code, ...(state !== undefined && { state }) });
  return `http://127.0.0.1:${Number(port)}/?${query.toString()}`;
}
