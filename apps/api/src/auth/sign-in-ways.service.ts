import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import {
  EmailSignInService,
  isToken,
  newToken,
  parseEmailAddress,
  type SignInConfig,
  signInConfig,
  SignInMailsService,
} from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { readCookie, SessionCookieService } from '../http/session-cookie.service.js';
import type { Me } from '../workspace/workspace.api.js';
import { BegunSessionsService } from './begun-sessions.service.js';
import type { CodeSignInBody, SignInMethods } from './sign-in.api.js';

const COOKIE_MILLIS = 15 * 60_000;

@Injectable()
export class SignInWaysService {
  private readonly browserCookie: string;

  constructor(
    private readonly emails: EmailSignInService,
    private readonly mails: SignInMailsService,
    private readonly begun: BegunSessionsService,
    private readonly cookie: SessionCookieService,
    private readonly limits: RequestLimitsService,
    @Inject(signInConfig.KEY) private readonly config: SignInConfig,
  ) {
    this.browserCookie = cookie.nameOf('sign_in');
  }

  offered(): SignInMethods['methods'] {
    const { isOidcOnly, allowsKey, oidc } = this.config;
    return [
      ...(isOidcOnly ? [] : ['link' as const]),
      ...(allowsKey ? ['key' as const] : []),
      ...(this.offersEmail ? ['email' as const] : []),
      ...(oidc ? ['oidc' as const] : []),
    ];
  }

  /**
   * @throws DomainError `invalid_request` if the address is not valid, `sign_in_off`, `https_required`, `rate_limited`
   */
  async requestMail(request: ApiRequest, response: Response, address: string): Promise<void> {
    this.cookie.assertAllowed();
    this.assertEmailOffered();
    const email = parseEmailAddress(address);
    if (email === undefined) {
      const detail = `${JSON.stringify(address)} is not an e-mail address.`;
      throw new DomainError('invalid_request', detail, { errors: [{ pointer: '/email', detail }] });
    }
    await this.limits.admitSignInMail(request, response, email);
    const known = readCookie(request, this.browserCookie);
    const browserToken = known !== undefined && isToken(known) ? known : newToken().token;
    response.cookie(this.browserCookie, browserToken, { ...this.cookie.attributes, maxAge: COOKIE_MILLIS });
    this.emails.request(email, browserToken);
  }

  /** @throws DomainError `invalid_sign_in`, `sign_in_off`, `https_required`, `rate_limited` */
  async signInWithCode(request: ApiRequest, response: Response, { email, code }: CodeSignInBody): Promise<Me> {
    this.assertEmailOffered();
    const address = parseEmailAddress(email) ?? '';
    const browserToken = readCookie(request, this.browserCookie);
    const me = await this.begun.answer(
      request,
      response,
      (browser) => this.emails.signIn(address, code.trim(), browserToken, browser),
      address,
    );
    response.clearCookie(this.browserCookie, this.cookie.attributes);
    return me;
  }

  private get offersEmail(): boolean {
    return this.mails.isConfigured && !this.config.isOidcOnly;
  }

  private assertEmailOffered(): void {
    if (!this.offersEmail) throw new DomainError('sign_in_off', 'Sign-in by e-mail is disabled in this installation.');
  }
}
