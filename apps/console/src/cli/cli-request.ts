import { one, type Search } from '../data/search.js';

/** Parameters that the CLI puts into the query of the page URL. */
export interface CliRequest {
  /** Port on which the CLI listens for the code. Undefined if the person pastes the code into the terminal. */
  port: string | undefined;
  challenge: string;
  state: string | undefined;
  /** Name of the computer on which the CLI runs. */
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

/** Returns an error message if a parameter is missing or invalid, and undefined otherwise. */
export function faultOf({ port, challenge, name }: CliRequest): string | undefined {
  if (challenge === '') return 'The address has no `challenge`.';
  if (name === '') return 'The address has no `name`.';
  if (port !== undefined && !isPort(port)) return '`port` must be a whole number from 1 to 65535.';
  return undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** Returns the URL that passes the code to the CLI. The host is always the local computer. */
export function listenerUrl({ port, state }: CliRequest, code: string): string {
  const query = new URLSearchParams({ code, ...(state !== undefined && { state }) });
  return `http://127.0.0.1:${Number(port)}/?${query.toString()}`;
}
