import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import { DomainError } from '@app/kernel';
import type { AddressConfig } from '@app/platform/startup';
import type { SignInConfig } from '@app/workspace';
import { provesScript, siteOf } from './same-origin.js';

const LIFETIME_MILLIS = 7 * 24 * 3_600_000;
const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|::1)$/;

export class SessionCookieService {
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor(
    private readonly address: Pick<AddressConfig, 'publicUrl' | 'host'>,
    private readonly config: Pick<SignInConfig, 'allowsInsecureCookies'>,
  ) {
    this.isSecure = address.publicUrl.startsWith('https://');
    this.name = this.nameOf('session');
  }

  /** Browsers accept the prefix `__Host-` only from a secure page of this host. */
  nameOf(purpose: string): string {
    return `${this.isSecure ? '__Host-' : ''}aas_${purpose}`;
  }

  get attributes(): CookieOptions {
    return { httpOnly: true, sameSite: 'strict', path: '/', secure: this.isSecure };
  }

  /**
   * Rejects the use of sessions without HTTPS, unless the service listens only on a loopback address or the operator
   * allows it.
   * @throws DomainError `https_required`
   */
  assertAllowed(): void {
    if (this.isSecure || this.config.allowsInsecureCookies || LOOPBACK.test(this.address.host)) return;
    const detail = `The service listens at ${this.address.host} without HTTPS, so sessions could be stolen in the network. Set PUBLIC_URL to an https address, or set INSECURE_COOKIES=true in a network that you trust.`;
    throw new DomainError('https_required', detail);
  }

  write(response: Response, token: string): void {
    response.cookie(this.name, token, { ...this.attributes, maxAge: LIFETIME_MILLIS });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.attributes);
  }

  /** Returns the session token, regardless of the page that sent the request. */
  read(request: IncomingMessage): string | undefined {
    return readCookie(request, this.name);
  }

  /**
   * Returns the session token, or undefined if the request has none.
   * @throws DomainError `cross_site` if another site may have sent the request
   */
  readOwn(request: IncomingMessage): string | undefined {
    const token = this.read(request);
    if (token === undefined) return undefined;
    if (siteOf(request, this.address.publicUrl) !== 'own') {
      const detail =
        'Only pages of this service can use a session, but the request has neither `Sec-Fetch-Site: same-origin` nor the `Origin` of this service. Use an API key for other clients.';
      throw new DomainError('cross_site', detail);
    }
    if (!provesScript(request)) {
      const detail =
        'The request uses a session cookie but has no JSON body. Send one, or the header `x-aas-console: 1`.';
      throw new DomainError('cross_site', detail);
    }
    return token;
  }

  isForeign(request: IncomingMessage): boolean {
    return siteOf(request, this.address.publicUrl) === 'foreign';
  }

  /**
   * Returns the session token if a page of this service sent the request, otherwise undefined. For sign-in requests.
   */
  readPrevious(request: IncomingMessage): string | undefined {
    return siteOf(request, this.address.publicUrl) === 'own' ? this.read(request) : undefined;
  }
}

/** Uses the first cookie with this name. */
export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
