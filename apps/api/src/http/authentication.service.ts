import { Injectable } from '@nestjs/common';
import { ApiKeyAuthenticationService, type Principal, SessionAuthenticationService } from '@app/workspace';
import { offersBearerToken, readBearerToken } from './bearer-token.js';
import type { ApiRequest } from './request-context.js';
import { SessionCookieService } from './session-cookie.service.js';

/** Identifies a caller by the API key. Without a key, identifies the caller by the session in the cookie. */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly keys: ApiKeyAuthenticationService,
    private readonly sessions: SessionAuthenticationService,
    private readonly cookie: SessionCookieService,
  ) {}

  /**
   * Returns the principal of the caller. If `urgent`, reads the key or session over reserved database connections.
   * @throws DomainError `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session`, `cross_site`
   */
  async identifyCaller(request: ApiRequest, urgent = false): Promise<Principal> {
    const session = offersBearerToken(request) ? undefined : this.cookie.readOwn(request);
    if (session !== undefined) {
      return urgent ? this.sessions.authenticateUrgently(session) : this.sessions.authenticate(session);
    }
    const key = readBearerToken(request);
    return urgent ? this.keys.authenticateUrgently(key) : this.keys.authenticate(key);
  }
}
