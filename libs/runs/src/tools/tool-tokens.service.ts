import { AgentsService } from '@app/agents';
import {
  type AccessToken,
  type ClientCredentials,
  ClientCredentialsService,
  ConnectionAccessService,
  ConnectionRefused,
  TokenRefused,
} from '@app/connections';
import { type ClientCredentialsAuth, type ConnectionAuth, scalarText, type Scope } from '@app/definition';
import { abortWithin, DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { agentIdOf, type PreparedCall, type ToolCallResult } from '../calls/tool-call.js';

export type TokenAuth = ClientCredentialsAuth | ConnectionAuth;

export type TokenOutcome = { readonly token: AccessToken } | { readonly failed: ToolCallResult };

@Injectable()
export class ToolTokensService {
  constructor(
    private readonly clientCredentials: ClientCredentialsService,
    private readonly connections: ConnectionAccessService,
    private readonly agents: AgentsService,
  ) {}

  /**
   * @param rejected a token that the server has rejected with 401; the method then returns another token
   * @throws ExpressionError
   */
  async tokenFor(auth: TokenAuth, call: PreparedCall, rejected?: AccessToken): Promise<TokenOutcome> {
    try {
      const asked =
        auth.kind === 'oauth2' ? this.ofConnection(auth, call, rejected) : this.ofClient(auth, call, rejected);
      const token = await beforeAbort(asked, abortWithin(call.timeoutMs, call.signal));
      if (!token) return { failed: call.signal.aborted ? { kind: 'not_started' } : late(call) };
      call.redaction.add(token.token);
      return { token };
    } catch (error) {
      return { failed: failure(call, error) };
    }
  }

  private ofConnection(
    { connection }: ConnectionAuth,
    { workspaceId, context }: PreparedCall,
    rejected?: AccessToken,
  ): Promise<AccessToken> {
    const agentId = agentIdOf(context);
    const isNamed = async (name: string) => (await this.agents.idByName(workspaceId, name)) === agentId;
    return this.connections.accessToken({ workspaceId, connection, agentId, isNamed }, rejected);
  }

  private ofClient(auth: ClientCredentialsAuth, call: PreparedCall, rejected?: AccessToken): Promise<AccessToken> {
    const credentials = credentialsOf(auth, call.context);
    if (!/^https?:\/\//i.test(credentials.tokenUrl) || !URL.canParse(credentials.tokenUrl))
      throw new TokenRefused('`token_url` is not an absolute http or https URL.', true);
    return this.clientCredentials.accessToken(call.workspaceId, credentials, rejected);
  }
}

function credentialsOf(auth: ClientCredentialsAuth, facts: Scope): ClientCredentials {
  const text = (template: ClientCredentialsAuth['clientId']): string => scalarText(template.evaluate(facts));
  return {
    tokenUrl: text(auth.tokenUrl),
    clientId: text(auth.clientId),
    clientSecret: text(auth.clientSecret),
    scopes: auth.scopes,
    parameters: Object.fromEntries(Object.entries(auth.parameters).map(([name, value]) => [name, text(value)])),
    clientAuthentication: auth.clientAuthentication,
  };
}

/**
 * Resolves to undefined if the signal aborts first. The request for the token continues, because other calls may wait
 * for the same token.
 */
async function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve, reject) => {
    const aborted = (): void => resolve(undefined);
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

function late({ operation, timeoutMs }: PreparedCall): ToolCallResult {
  const message = `${operation.fullName}: the token server did not respond within ${timeoutMs} ms.`;
  return { kind: 'refused', code: 'timeout', message, detail: { response_summary: message }, unanswered: true };
}

function failure({ operation }: PreparedCall, error: unknown): ToolCallResult {
  if (error instanceof DomainError && error.kind === 'unavailable') return { kind: 'not_started' };
  if (error instanceof ConnectionRefused) {
    const { code, message, isFinal: permanent } = error;
    return { kind: 'refused', code, message, detail: { response_summary: message }, permanent };
  }
  if (!(error instanceof TokenRefused)) throw error;
  const message = `${operation.fullName} has no access token: ${error.message}`;
  return {
    kind: 'refused',
    code: 'tool_error',
    message,
    detail: { response_summary: message },
    permanent: error.isFinal,
  };
}
