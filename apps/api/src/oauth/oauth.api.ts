import type { AuthorizationAnswer } from '@app/connections';
import { OneOf, Text } from '../http/fields.js';
import type { ContinuedAuthorization } from './authorizing-browser.service.js';

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

/** The form of the page. */
export class AuthorizationForm extends StateQuery {
  @Text({ longest: 200, description: 'Token of the page, bound to a cookie of the browser.' })
  token: string;
  @OneOf(['continue', 'cancel'], { description: 'Decision.' })
  decision: 'continue' | 'cancel';
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

export function authorizationAnswer(
  { state, code, error, error_description, iss }: CallbackQuery,
  continued: ContinuedAuthorization | undefined,
): AuthorizationAnswer {
  return {
    state,
    browserState: continued?.state,
    authorizedBy: continued?.authorizedBy ?? null,
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(error_description !== undefined && { errorDescription: error_description }),
    ...(iss !== undefined && { issuer: iss }),
  };
}
