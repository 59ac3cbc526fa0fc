import type { AuthorizationAnswer } from '@app/knowledge';
import type { ApiRequest } from '../http/api-request.js';
import type { CallbackQuery } from './oauth.dto.js';

/** Holds the state from the authorize_url to the callback, so that one browser does both. */
export const STATE_COOKIE = 'aas_oauth_state';

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
