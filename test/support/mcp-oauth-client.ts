import { createHash, randomBytes } from 'node:crypto';
import {
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ConsoleClient } from './console-client.js';
import type { ApiAnswer, CallOptions } from './http-api.js';
import type { Service } from './stack.js';
import { call } from './http-api.js';

/** The public address of a service that a proxy with TLS would serve. */
export const PUBLIC_URL = 'https://agents.test';
export const REDIRECT = 'http://127.0.0.1:4711/callback';

/** Does what the proxy does: sends requests for {@link PUBLIC_URL} to the service. */
export function throughProxy(stack: Pick<Service, 'baseUrl'>): FetchLike {
  return (url, init) => fetch(String(url).replace(PUBLIC_URL, stack.baseUrl), init);
}

/** Returns a console in which the member with this address is signed in by an invitation. */
export async function signedIn(stack: Service, email: string, role: string): Promise<ConsoleClient> {
  const members = await stack.client.expect<{ data: { id: string; email: string }[] }>('GET', '/v1/members?limit=100');
  const known = members.data.find((member) => member.email === email);
  const { id } = known ?? (await stack.client.expect<{ id: string }>('POST', '/v1/members', { email, role }));
  const page = new ConsoleClient({
    call: (method: string, path: string, options?: CallOptions) => call(`${stack.baseUrl}${path}`, method, options),
  });
  await signInAgain(stack, page, id);
  return page;
}

/** Signs the member in to the console by a new invitation. */
export async function signInAgain(stack: Service, page: ConsoleClient, memberId: string): Promise<void> {
  const { url } = await stack.client.expect<{ url: string }>('POST', `/v1/members/${memberId}/invitations`);
  const answer = await page.call('POST', '/auth/link', { token: url.slice(url.indexOf('#') + 1) });
  if (answer.status !== 200) throw new Error(`The sign-in answered ${answer.status}.`);
}

/** The state of the official client: its registration, its verifier and its tokens. */
export class OauthState implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { redirect_uris: [REDIRECT], client_name: 'Tester' };
  readonly clientMetadataUrl?: string;
  /** The address to which the client sent the browser. */
  asked: URL | undefined;
  stored: StoredOAuthTokens | undefined;
  private information: StoredOAuthClientInformation | undefined;
  private verifier = '';
  private discovered: OAuthDiscoveryState | undefined;

  constructor({ documentUrl, clientId }: { documentUrl?: string; clientId?: string } = {}) {
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl;
    if (clientId !== undefined) this.information = { client_id: clientId };
  }

  state = (): string => 'the state';
  clientInformation = (): StoredOAuthClientInformation | undefined => this.information;
  saveClientInformation = (information: StoredOAuthClientInformation): void => void (this.information = information);
  tokens = (): StoredOAuthTokens | undefined => this.stored;
  saveTokens = (tokens: StoredOAuthTokens): void => void (this.stored = tokens);
  redirectToAuthorization = (url: URL): void => void (this.asked = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  codeVerifier = (): string => this.verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.discovered = state);
  discoveryState = (): OAuthDiscoveryState | undefined => this.discovered;
}

type Fields = Record<string, string | undefined>;

/** Sends the requests of a client one by one, so that each can be wrong. */
export class RawOauthClient {
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(
    private readonly stack: Pick<Service, 'baseUrl'>,
    readonly clientId: string,
    readonly resource = `${PUBLIC_URL}/v1/mcp`,
  ) {}

  /** Opens the address as the browser of a person from another site: without cookies. */
  authorize(changed: Fields = {}): Promise<ApiAnswer> {
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    const fields: Fields = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: this.resource,
      state: 'a state',
      ...changed,
    };
    return this.send('GET', `/auth/oauth/authorize?${encoded(fields)}`);
  }

  /** Returns the id of a new request. */
  async ask(): Promise<string> {
    const { headers } = await this.authorize();
    const { searchParams } = new URL(headers.get('location') ?? '', PUBLIC_URL);
    return searchParams.get('request') ?? '';
  }

  /** Returns a code, after the person has allowed the access to these agents. */
  async permitted(person: ConsoleClient, agents: readonly string[] | null = null): Promise<string> {
    const answer = await person.call('POST', `/auth/oauth/requests/${await this.ask()}`, { decision: 'allow', agents });
    const { redirect_to: target } = answer.body as { redirect_to: string };
    return new URL(target).searchParams.get('code') ?? '';
  }

  redeem(code: string, changed: Fields = {}): Promise<ApiAnswer> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: this.verifier };
    return this.token({ ...fields, ...changed });
  }

  refresh(token: string, changed: Fields = {}): Promise<ApiAnswer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, ...changed });
  }

  revoke(token: string): Promise<ApiAnswer> {
    return this.post('/auth/oauth/revoke', { token, client_id: this.clientId });
  }

  /** Lists the tools at an address of the MCP server. */
  listTools(token: string, path = '/v1/mcp'): Promise<ApiAnswer> {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    return call(`${this.stack.baseUrl}${path}`, 'POST', { headers, body });
  }

  private token(fields: Fields): Promise<ApiAnswer> {
    return this.post('/auth/oauth/token', { client_id: this.clientId, resource: this.resource, ...fields });
  }

  private post(path: string, fields: Fields): Promise<ApiAnswer> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return call(`${this.stack.baseUrl}${path}`, 'POST', { headers, body: encoded(fields) });
  }

  private send(method: string, path: string): Promise<ApiAnswer> {
    return call(`${this.stack.baseUrl}${path}`, method, { redirect: 'manual' });
  }
}

function encoded(fields: Fields): string {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new URLSearchParams(given).toString();
}
