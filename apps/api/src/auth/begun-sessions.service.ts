import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { extendContext } from '@app/platform/observability';
import { type Browser, SessionAuthenticationService, SessionsService } from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { SessionCookieService } from '../http/session-cookie.service.js';
import { type Me, presentMe } from '../workspace/workspace.api.js';

/** Completes sign-ins: checks the rate limits, begins the session, sets its cookie and returns the person. */
@Injectable()
export class BegunSessionsService {
  constructor(
    private readonly authentication: SessionAuthenticationService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookieService,
    private readonly limits: RequestLimitsService,
  ) {}

  /**
   * Calls `signIn`, which checks the credentials and returns the token of the new session. `address` is the e-mail
   * address of the person, if it is known.
   * @throws DomainError `https_required`, `rate_limited`, and the errors of `signIn`
   */
  async answer(
    request: ApiRequest,
    response: Response,
    signIn: (browser: Browser) => Promise<string>,
    address?: string,
  ): Promise<Me> {
    this.cookie.assertAllowed();
    const browser = this.browserOf(request);
    const token = await this.limits.admitSignIn(request, response, address, () => signIn(browser));
    return this.present(response, token);
  }

  /**
   * Ends the session of the browser, if any, and clears its cookie.
   * @throws DomainError `cross_site`
   */
  async signOut(request: ApiRequest, response: Response): Promise<void> {
    const token = this.cookie.readOwn(request);
    if (token !== undefined) await this.sessions.signOut(token);
    this.cookie.clear(response);
  }

  /**
   * Describes the browser that signs in. The sign-in ends its existing session, whose token is `previousToken`. The
   * token is included only if a page of this service sent the request, so that another site cannot end the session.
   */
  browserOf(request: ApiRequest): Browser {
    const previousToken = this.cookie.readPrevious(request);
    const userAgent = request.headers['user-agent'] ?? '';
    return { userAgent, ...(previousToken !== undefined && { previousToken }) };
  }

  async present(response: Response, token: string): Promise<Me> {
    const principal = await this.authentication.authenticate(token);
    extendContext({ workspaceId: principal.workspaceId });
    this.cookie.write(response, token);
    return presentMe(principal, await this.sessions.workspacesOf(principal));
  }
}
