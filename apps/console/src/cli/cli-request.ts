import { one, type Search } from '../data/search.js';

/** What a command line asks for, as the address has it. */
export interface CliRequest {
  /** Port on which the command line listens; undefined if the person pastes the code. */
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

/** Why the address is not one that a command line made; undefined if it may be. */
export function faultOf({ port, challenge, name }: CliRequest): string | undefined {
  if (challenge === '') return 'The address has no `challenge`.';
  if (name === '') return 'The address has no `name`.';
  if (port !== undefined && !isPort(port)) return '`port` must be a whole number from 1 to 65535.';
  return undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** Where the command line waits for the code: this computer, and no other. */
export function listenerUrl({ port, state }: CliRequest, code: string): string {
  const query = new URLSearchParams({ code, ...(state !== undefined && { state }) });
  return `http://127.0.0.1:${Number(port)}/?${query.toString()}`;
}
