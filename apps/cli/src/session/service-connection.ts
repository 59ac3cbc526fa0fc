import { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import type { Terminal } from '../input/terminal.js';
import { VERSION } from './version.js';
import { type Context, Contexts, normalAddress } from './contexts.js';

export interface Connection {
  address: string;
  aas: AgentAutomation;
}

/** From this header, the service recognises that a decision was made with the CLI. */
const HEADERS = { 'User-Agent': `aas-cli/${VERSION}` };

/**
 * Connects to the service. The address and the API key come from the first of these that contains them:
 * 1. the context of the option `--context`. If this option is set, nothing else is read;
 * 2. the variables AAS_URL and AAS_API_KEY;
 * 3. a stored context: with AAS_URL, a context with this address, otherwise the current context.
 */
export async function connect(contextName: string | undefined, terminal: Terminal): Promise<Connection> {
  const { address, apiKey } = await accessOf(contextName, terminal);
  return { address, aas: clientOf(address, apiKey) };
}

/** Without a key, the client can only sign in and read public data. */
export function clientOf(address: string, apiKey: string | null): AgentAutomation {
  return new AgentAutomation({ baseUrl: address, apiKey, headers: HEADERS });
}

async function accessOf(
  contextName: string | undefined,
  { env }: Terminal,
): Promise<{ address: string; apiKey: string }> {
  const contexts = new Contexts({ env });
  if (contextName !== undefined) return accessTo(await contexts.named(contextName));
  const apiKey = env.AAS_API_KEY?.trim() || undefined;
  const url = env.AAS_URL?.trim() || undefined;
  const context = url === undefined ? await contexts.current() : await contexts.of(normalAddress(url));
  const address = url ?? context?.address;
  if (address === undefined) throw notSignedIn('No address of a service is configured.', 'AAS_URL');
  const key = apiKey ?? context?.api_key;
  if (key === undefined) throw notSignedIn(`There is no API key for ${normalAddress(address)}.`, 'AAS_API_KEY');
  return { address: normalAddress(address), apiKey: key };
}

function accessTo({ address, api_key }: Context): { address: string; apiKey: string } {
  return { address, apiKey: api_key };
}

function notSignedIn(what: string, where: string): CommandError {
  const remedy = 'Sign in with `aas login <address>`, or set AAS_URL and AAS_API_KEY.';
  return new CommandError(what, { exitCode: EXIT.notAllowed, where, remedy });
}
