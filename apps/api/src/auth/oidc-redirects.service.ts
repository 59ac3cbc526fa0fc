import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { DomainError, type ErrorCode } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { OidcSignInService } from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { readCookie, SessionCookieService } from '../http/session-cookie.service.js';
import { BegunSessionsService } from './begun-sessions.service.js';
import { consolePage } from './oidc.api.js';

const ATTEMPT_MILLIS = 10 * 60_000;

/**
 * Sends browsers to the OIDC provider and handles its callback. After an error, the browser is sent to the sign-in
 * page.
 */
@Injectable()
export class OidcRedirectsService {
  private readonly attemptCookie: string;
  /**
   * Attributes of the cookie that stores the sign-in attempt. `SameSite` is `Lax`, because browsers send no `Strict`
   * cookie when the provider's page navigates to the callback.
   */
  private readonly attributes: CookieOptions;

  constructor(
    private readonly signIns: OidcSignInService,
    private readonly begun: BegunSessionsService,
    private readonly cookie: SessionCookieService,
    private readonly limits: RequestLimitsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.attemptCookie = cookie.nameOf('oidc');
    this.attributes = { ...cookie.attributes, sameSite: 'lax' };
  }

  async begin(response: Response, returnTo: string | undefined): Promise<void> {
    await this.orSignInPage(response, async () => {
      this.cookie.assertAllowed();
      const { url, attempt } = await this.signIns.begin(consolePage(returnTo));
      response.cookie(this.attemptCookie, attempt, { ...this.attributes, maxAge: ATTEMPT_MILLIS });
      response.redirect(302, url);
    });
  }

  async finish(request: ApiRequest, response: Response): Promise<void> {
    await this.orSignInPage(response, async () => {
      this.cookie.assertAllowed();
      const { originalUrl } = request;
      const query = originalUrl.slice(originalUrl.indexOf('?') + 1);
      const attempt = readCookie(request, this.attemptCookie);
      response.clearCookie(this.attemptCookie, this.attributes);
      const signIn = () => this.signIns.finish(query, attempt, this.begun.browserOf(request));
      const { token, returnTo } = await this.limits.admitSignIn(request, response, undefined, signIn);
      this.cookie.write(response, token);
      response.redirect(303, returnTo);
    });
  }

  private async orSignInPage(response: Response, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.cause !== undefined) this.logger.warn({ err: error.cause }, 'single sign-on: sign-in rejected');
      response.redirect(303, signInPage(error.code));
    }
  }
}

function signInPage(code: ErrorCode): string {
  return `/console/sign-in?error=${code}`;
}
