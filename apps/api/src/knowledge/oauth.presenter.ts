import type { Response } from 'express';
import type { KnowledgeSource } from '@app/knowledge';
import type { ApiRequest } from '../http/api-request.js';
import { STATE_COOKIE } from './oauth-requests.js';

const HOUR_MILLIS = 3_600_000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/v1/oauth' } as const;

/** Lax: the callback is a navigation that begins at the provider's page. What a proxy says of TLS is believed: it makes it stricter. */
export function sendToProvider(request: ApiRequest, response: Response, state: string, url: string): void {
  const secure = request.secure || request.headers['x-forwarded-proto'] === 'https';
  response.cookie(STATE_COOKIE, state, { ...COOKIE, secure, maxAge: HOUR_MILLIS });
  response.redirect(302, url);
}

/** A page without style or script: the content policy allows none. */
export function presentAuthorized(
  response: Response,
  { source, title }: { source: KnowledgeSource; title: string },
): string {
  response.clearCookie(STATE_COOKIE, COOKIE);
  response.type('text/html; charset=utf-8');
  const name = title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><title>${name} is connected</title><p>${name} is connected as the source <code>${source.id}</code>. You can close this window.</p></html>`;
}
