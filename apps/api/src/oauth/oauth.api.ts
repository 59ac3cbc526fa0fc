import type { Response } from 'express';
import type { AuthorizationAnswer } from '@app/connections';
import type { KnowledgeSourceEntity } from '@app/knowledge';
import { Text } from '../http/fields.js';
import type { ApiRequest } from '../http/request-context.js';

const STATE = { pattern: /^[A-Za-z0-9_-]{1,200}$/, message: 'state is not one that was given out' };

export class StateQuery {
  @Text({ ...STATE, description: 'State from the `authorize_url`.', example: '3f9c' }) state: string;
}

/** The parameters of a provider's redirect (RFC 6749, section 4.1.2). Other parameters are ignored. */
export class CallbackQuery {
  @Text({ ...STATE, description: 'State that the provider returns.', example: '3f9c' }) state: string;
  @Text({ optional: true, longest: 4_000, description: 'Authorisation code, if permission was given.' }) code?: string;
  @Text({ optional: true, longest: 200, description: 'Error code of the provider, if permission was refused.' })
  error?: string;
  @Text({ optional: true, longest: 2_000, description: 'Error text of the provider.' }) error_description?: string;
  @Text({ optional: true, longest: 500, description: 'Issuer of the response (RFC 9207).' }) iss?: string;
}

/** Binds the state to one browser, from the authorize_url to the callback. */
const STATE_COOKIE = 'aas_oauth_state';

export function authorizationAnswer(
  { headers }: Pick<ApiRequest, 'headers'>,
  { state, code, error, error_description, iss }: CallbackQuery,
): AuthorizationAnswer {
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim().split(/=(.*)/s));
  const states = cookies.flatMap(([name, value]) => (name === STATE_COOKIE && value !== undefined ? [value] : []));
  return {
    state,
    browserState: states[0],
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(error_description !== undefined && { errorDescription: error_description }),
    ...(iss !== undefined && { issuer: iss }),
  };
}

const HOUR_MILLIS = 3_600_000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/v1/oauth' } as const;

/**
 * `SameSite=Lax`, because the callback is a navigation from the provider's page. The proxy's header about TLS is
 * trusted, because it can only make the cookie stricter.
 */
export function sendToProvider(request: ApiRequest, response: Response, state: string, url: string): void {
  const secure = request.secure || request.headers['x-forwarded-proto'] === 'https';
  response.cookie(STATE_COOKIE, state, { ...COOKIE, secure, maxAge: HOUR_MILLIS });
  response.redirect(302, url);
}

/** A page without style or script, because the content policy allows neither. */
export function presentAuthorized(
  response: Response,
  { source, title }: { source: KnowledgeSourceEntity; title: string },
): string {
  response.clearCookie(STATE_COOKIE, COOKIE);
  response.type('text/html; charset=utf-8');
  const name = title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><title>${name} is connected</title><p>${name} is connected as the source <code>${source.id}</code>. You can close this window.</p></html>`;
}
