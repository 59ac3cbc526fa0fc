import { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import type { Terminal } from '../input/terminal.js';
import { type Context, Contexts, normalAddress } from './contexts.js';

/** Version of the CLI. A test checks that it equals the version in package.json. */
export const VERSION = '0.1.0';

export interface Connection {
  address: string;
  aas: AgentAutomation;
}

/** This header tells the service that a decision was made with the CLI. */
const HEADERS = { 'User-Agent': `aas-cli/${VERSION}` };

/**
 * Connects to the service. If `--context` is set, uses only the address and the API key of this context. Otherwise uses
 * the variables AAS_URL and AAS_API_KEY. If a variable is missing, its value comes from a stored context:
 * - If AAS_URL is set, uses a context with this address.
 * - Otherwise, uses the current context.
 */
export async function connect(contextName: string | undefined, terminal: Terminal): Promise<Connection> {
  const { address, apiKey, stopUrl } = await accessOf(contextName, terminal);
  return { address, aas: clientOf(address, apiKey, stopUrl) };
}

/** Without a key, the client can only sign in and read public data. */
export function clientOf(address: string, apiKey: string | null, stopUrl?: string): AgentAutomation {
  return new AgentAutomation({ baseUrl: address, apiKey, headers: HEADERS, ...(stopUrl !== undefined && { stopUrl }) });
}

/**
 * Adds the URL of the second port of the service to the context. It is stored, because the first port may not respond
 * when the emergency stop is needed.
 */
export async function withStopUrl(context: Context): Promise<Context> {
  const { stop_port: port } = await clientOf(context.address, null).service.health();
  if (!port) return context;
  const url = new URL(context.address);
  return { ...context, stop_url: `${url.protocol}//${url.hostname}:${port}` };
}

interface ServiceAccess {
  address: string;
  apiKey: string;
  stopUrl?: string;
}

async function accessOf(contextName: string | undefined, { env }: Terminal): Promise<ServiceAccess> {
  const contexts = new Contexts({ env });
  if (contextName !== undefined) return accessTo(await contexts.named(contextName));
  const apiKey = env.AAS_API_KEY?.trim() || undefined;
  const url = env.AAS_URL?.trim() || undefined;
  const context = url === undefined ? await contexts.current() : await contexts.of(normalAddress(url));
  const address = url ?? context?.address;
  if (address === undefined) throw notSignedIn('No address of a service is configured.', 'AAS_URL');
  const key = apiKey ?? context?.api_key;
  if (key === undefined) throw notSignedIn(`There is no API key for ${normalAddress(address)}.`, 'AAS_API_KEY');
  return { ...accessTo({ ...context, address: normalAddress(address), api_key: key }), ...givenStopUrl(env) };
}

function givenStopUrl(env: Terminal['env']): Pick<ServiceAccess, 'stopUrl'> {
  const stopUrl = env.AAS_STOP_URL?.trim();
  return stopUrl ? { stopUrl } : {};
}

function accessTo({ address, api_key, stop_url: stopUrl }: Context): ServiceAccess {
  return { address, apiKey: api_key, ...(stopUrl !== undefined && { stopUrl }) };
}

function notSignedIn(what: string, where: string): CommandError {
  const remedy = 'Sign in with `aas login <address>`, or set AAS_URL and AAS_API_KEY.';
  return new CommandError(what, { exitCode: EXIT.notAllowed, where, remedy });
}
