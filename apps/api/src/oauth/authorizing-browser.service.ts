import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { DomainError } from '@app/kernel';
import { constantTimeEqual, sha256, SigningKey } from '@app/platform/crypto';
import { type Principal, SessionAuthenticationService } from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';
import { readCookie, SessionCookieService } from '../http/session-cookie.service.js';

/** The authorisation that a person has continued in this browser. */
export interface ContinuedAuthorization {
  state: string;
  /** Path of the console to which the browser returns. */
  returnTo: string | null;
  /** E-mail address of the member who was signed in. Null if the browser had no session. */
  authorizedBy: string | null;
}

/** A random value, to which the token in the form of the page is bound. */
const PAGE_COOKIE = 'aas_oauth_page';
/** The signed {@link ContinuedAuthorization}. Set by the form of the page, and never by a link. */
const STATE_COOKIE = 'aas_oauth_state';
const PURPOSE = 'oauth browser';
const HOUR_MILLIS = 3_600_000;
const RANDOM = /^[\w-]{43}$/;

/** Recognises the browser in which a person authorises a source or a connection. */
@Injectable()
export class AuthorizingBrowserService {
  constructor(
    private readonly sessions: SessionAuthenticationService,
    private readonly cookie: SessionCookieService,
    private readonly signing: SigningKey,
  ) {}

  /**
   * Returns the member who is signed in. The session gives no permission here, so it is read regardless of the page
   * that sent the request. A link from another site does not send it; the form of the page does.
   */
  async signedInMember(request: ApiRequest): Promise<Principal | undefined> {
    const token = this.cookie.read(request);
    if (token === undefined) return undefined;
    try {
      return await this.sessions.authenticate(token);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'invalid_session') return undefined;
      throw error;
    }
  }

  /** Returns the token for the form of the page, and sets the cookie that it is bound to. */
  issueToken(request: ApiRequest, response: Response, state: string): string {
    const known = readCookie(request, PAGE_COOKIE);
    const random = known !== undefined && RANDOM.test(known) ? known : randomBytes(32).toString('base64url');
    response.cookie(PAGE_COOKIE, random, { ...attributes(request, 'strict'), maxAge: HOUR_MILLIS });
    return tokenOf(random, state);
  }

  /**
   * Checks that the form was sent by the page that this browser opened for the state.
   * @throws DomainError `cross_site`
   */
  assertOwnForm(request: ApiRequest, { state, token }: { state: string; token: string }): void {
    const random = readCookie(request, PAGE_COOKIE);
    const isOwn = random !== undefined && RANDOM.test(random) && constantTimeEqual(tokenOf(random, state), token);
    if (isOwn && !this.cookie.isForeign(request)) return;
    const detail =
      'The form was not sent by a page of this service that was opened in this browser. Open the link again.';
    throw new DomainError('cross_site', detail);
  }

  /** The cookie is `Lax`, because the callback is a navigation from the page of the provider. */
  rememberContinued(request: ApiRequest, response: Response, continued: ContinuedAuthorization): void {
    const content = Buffer.from(JSON.stringify(continued)).toString('base64url');
    const value = `${content}.${this.signing.hmac(PURPOSE, content).toString('base64url')}`;
    response.cookie(STATE_COOKIE, value, { ...attributes(request, 'lax'), maxAge: HOUR_MILLIS });
  }

  /** Returns undefined if no person has continued the authorisation with this state in this browser. */
  continuedAuthorization(request: ApiRequest, state: string): ContinuedAuthorization | undefined {
    const [content = '', mac = ''] = readCookie(request, STATE_COOKIE)?.split('.') ?? [];
    if (!this.signing.verify(PURPOSE, content, Buffer.from(mac, 'base64url'))) return undefined;
    const continued = JSON.parse(Buffer.from(content, 'base64url').toString()) as ContinuedAuthorization;
    return constantTimeEqual(continued.state, state) ? continued : undefined;
  }

  forgetContinued(request: ApiRequest, response: Response): void {
    response.clearCookie(STATE_COOKIE, attributes(request, 'lax'));
  }
}

function tokenOf(random: string, state: string): string {
  return sha256(`${random} ${state}`).toString('base64url');
}

/** `X-Forwarded-Proto` is trusted from any sender, because it can only make the cookie stricter. */
function attributes(request: ApiRequest, sameSite: 'strict' | 'lax'): CookieOptions {
  const secure = request.secure || request.headers['x-forwarded-proto'] === 'https';
  return { httpOnly: true, sameSite, path: '/v1/oauth', secure };
}
