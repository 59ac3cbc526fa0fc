import type { Response } from 'express';
import type { AuthorizationAnswer } from '@app/connections';
import { DomainError } from '@app/kernel';
import { Text } from '../http/fields.js';
import type { ApiRequest } from '../http/request-context.js';
import { readCookie } from '../http/session-cookie.service.js';
import type { Authorized } from './oauth-flows.service.js';

const STATE = {
  pattern: /^[A-Za-z0-9_-]{1,200}$/,
  message: 'state is not a value that this service has issued. Start the authorisation again',
};

/**
 * A path of the console with an optional query. Browsers and proxies must not rewrite the path. Therefore its segments
 * contain no backslash, control character or `%` escape, and no segment is empty, `.` or `..`.
 */
const CONSOLE_PATH =
  /^(?=.{1,2000}$)\/console\/(?:(?!\.{1,2}(?:[/?]|$))[\w.~:@!$&'()*+,;=-]+(?:\/|(?=\?)|$))*(?:\?(?:[\w.~:@!$&'()*+,;=/-]|%(?![01]|7[fF])[\da-fA-F]{2})*)?$/;

export class StateQuery {
  @Text({ ...STATE, description: 'Value of `state` in the `authorize_url`.', example: '3f9c' }) state: string;
  @Text({
    optional: true,
    pattern: CONSOLE_PATH,
    message:
      'return_to must be a path below /console/ of at most 2000 characters, without fragment, for example /console/sources',
    description:
      'Path below `/console/` to which the browser returns, with `connected` (id of the source or connection) or `error` (code) added to its query. ' +
      'Default: a page that confirms the connection.',
    example: '/console/knowledge',
  })
  return_to?: string;
}

/** The parameters of RFC 6749, section 4.1.2. Other parameters are ignored. */
export class CallbackQuery {
  @Text({ ...STATE, description: 'Value of `state` that the provider returns.', example: '3f9c' }) state: string;
  @Text({ optional: true, longest: 4_000, description: 'Authorisation code, if the person gave permission.' })
  code?: string;
  @Text({ optional: true, longest: 200, description: 'Error code of the provider, if the person denied permission.' })
  error?: string;
  @Text({ optional: true, longest: 2_000, description: 'Error text of the provider.' }) error_description?: string;
  @Text({ optional: true, longest: 500, description: 'Issuer of the response (RFC 9207).' }) iss?: string;
}

/** This cookie binds the state to the browser that began the authorisation. */
const STATE_COOKIE = 'aas_oauth_state';

/** The content of the cookie. `returnTo` is the console path to which the browser returns after the authorisation. */
interface BegunAuthorization {
  state: string;
  returnTo: string | undefined;
}

/**
 * Reads the cookie, which is `<state>` or `<state>.<path in base64url>`. Returns undefined if the browser has begun no
 * authorisation.
 */
function begunIn(request: ApiRequest): BegunAuthorization | undefined {
  const value = readCookie(request, STATE_COOKIE);
  if (value === undefined) return undefined;
  const [state = '', path = ''] = value.split('.');
  const returnTo = Buffer.from(path, 'base64url').toString();
  return { state, returnTo: CONSOLE_PATH.test(returnTo) ? returnTo : undefined };
}

/**
 * Returns the path to which the browser returns. Undefined if this browser did not begin the authorisation, or began it
 * without a path.
 */
export function returnPath(request: ApiRequest, { state }: CallbackQuery): string | undefined {
  const begun = begunIn(request);
  return begun?.state === state ? begun.returnTo : undefined;
}

export function authorizationAnswer(
  request: ApiRequest,
  { state, code, error, error_description, iss }: CallbackQuery,
): AuthorizationAnswer {
  return {
    state,
    browserState: begunIn(request)?.state,
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(error_description !== undefined && { errorDescription: error_description }),
    ...(iss !== undefined && { issuer: iss }),
  };
}

const HOUR_MILLIS = 3_600_000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/v1/oauth' } as const;

/**
 * Sets the cookie and redirects the browser to the provider. The cookie is `Lax`, because the callback is a navigation
 * from the provider's page. `X-Forwarded-Proto` is trusted from any sender, because it can only make the cookie
 * stricter.
 */
export function sendToProvider(
  request: ApiRequest,
  response: Response,
  { state, return_to }: StateQuery,
  url: string,
): void {
  const secure = request.secure || request.headers['x-forwarded-proto'] === 'https';
  const path = return_to === undefined ? '' : `.${Buffer.from(return_to).toString('base64url')}`;
  response.cookie(STATE_COOKIE, state + path, { ...COOKIE, secure, maxAge: HOUR_MILLIS });
  response.redirect(302, url);
}

/**
 * Sends the browser back to the console, or shows a page if there is no path to return to. The page has no styles and
 * scripts, because the Content Security Policy allows neither.
 */
export function presentAuthorized(
  response: Response,
  returnTo: string | undefined,
  { kind, id, title }: Authorized,
): string | undefined {
  response.clearCookie(STATE_COOKIE, COOKIE);
  if (returnTo !== undefined) {
    sendBack(response, returnTo, 'connected', id);
    return undefined;
  }
  response.type('text/html; charset=utf-8');
  const name = title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><title>${name} is connected</title><p>${name} is connected as the ${kind} <code>${id}</code>. You can close this window.</p></html>`;
}

/**
 * Sends the browser back to the console with the code of the error.
 * @throws the error if there is no path to return to, or if the error is not a `DomainError`
 */
export function presentRefused(response: Response, returnTo: string | undefined, error: unknown): undefined {
  if (returnTo === undefined || !(error instanceof DomainError)) throw error;
  sendBack(response, returnTo, 'error', error.code);
  return undefined;
}

function sendBack(response: Response, returnTo: string, name: 'connected' | 'error', value: string): void {
  const url = new URL(returnTo, 'http://console.invalid');
  url.searchParams.set(name, value);
  response.status(303).setHeader('Location', url.pathname + url.search);
}
