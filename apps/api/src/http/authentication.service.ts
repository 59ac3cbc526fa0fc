import type { IncomingMessage } from 'node:http';
import { DomainError } from '@app/kernel';
import type { ApiConfig } from '@app/installation/settings';
import type { AddressConfig } from '@app/platform/startup';
import type { ApiKeyAuthenticationService, Principal, SessionAuthenticationService } from '@app/workspace';
import type { ServedRequest } from './request-context.js';
import type { SessionCookieService } from './session-cookie.service.js';

const OTHER_SCHEME = /^(basic|digest|negotiate|ntlm) /i;
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

/** Identifies a caller by the API key. Without a key, identifies the caller by the session in the cookie. */
export class AuthenticationService {
  constructor(
    private readonly keys: ApiKeyAuthenticationService,
    private readonly sessions: SessionAuthenticationService,
    private readonly cookie: SessionCookieService,
    private readonly address: Pick<AddressConfig, 'publicUrl'>,
    private readonly config: Pick<ApiConfig, 'mcpOauth'>,
  ) {}

  /**
   * Returns the principal of the caller.
   * @throws DomainError `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session`, `cross_site`
   */
  async identifyCaller(request: IncomingMessage): Promise<Principal> {
    const session = this.sessionOf(request);
    return session === undefined
      ? this.keys.authenticate(readBearerToken(request))
      : this.sessions.authenticate(session);
  }

  /** Like {@link identifyCaller}, but ignores cookies. */
  async identifyKey(request: IncomingMessage): Promise<Principal> {
    return this.keys.authenticate(readBearerToken(request));
  }

  /**
   * Like {@link identifyKey}, but with `MCP_OAUTH=on` also accepts an access token for the resource with this path, and
   * names the metadata of the resource in the error.
   */
  async identifyClient(request: ServedRequest, path: string): Promise<Principal> {
    if (this.config.mcpOauth === 'off') return this.identifyKey(request);
    const { publicUrl } = this.address;
    request.resourceMetadata = `${publicUrl}/.well-known/oauth-protected-resource${path}`;
    return this.keys.authenticateAt(`${publicUrl}${path}`, readBearerToken(request));
  }

  /** Like {@link identifyCaller}, but reads the key or session over reserved database connections. */
  async identifyCallerUrgently(request: IncomingMessage): Promise<Principal> {
    const session = this.sessionOf(request);
    return session === undefined
      ? this.keys.authenticateUrgently(readBearerToken(request))
      : this.sessions.authenticateUrgently(session);
  }

  private sessionOf(request: IncomingMessage): string | undefined {
    return offersBearerToken(request) ? undefined : this.cookie.readOwn(request);
  }
}

/**
 * Whether the request has an `Authorization` header for this service. Headers with the scheme `Basic`, `Digest`,
 * `Negotiate` or `NTLM` do not count. Browsers send them for a proxy in front of the service.
 */
function offersBearerToken({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined && !OTHER_SCHEME.test(headers.authorization);
}

/**
 * Returns the token of `Authorization: Bearer <token>` (RFC 6750, section 2.1).
 * @throws DomainError `missing_api_key`, `invalid_api_key`, or `invalid_request` if the header occurs more than once
 */
export function readBearerToken({ headers, rawHeaders }: IncomingMessage): string {
  const header = headers.authorization;
  if (header === undefined) {
    throw new DomainError('missing_api_key', 'Send your API key as `Authorization: Bearer <key>`.');
  }
  // A repeated header is rejected, because Node uses the first value, but a proxy may have checked another value.
  if (countHeader(rawHeaders, 'authorization') > 1) {
    throw new DomainError('invalid_request', 'The request has more than one Authorization header. Send one.');
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) {
    throw new DomainError('invalid_api_key', 'The Authorization header must have the form `Bearer <key>`.');
  }
  return token;
}

/** `rawHeaders` contains names and values alternately. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name,
  ).length;
}
