import { Text } from '../http/fields.js';

export class OidcSignInQuery {
  @Text({
    optional: true,
    longest: 2_000,
    description:
      'Page of the console to which the person returns. For any other address, the person returns to the start page.',
    example: '/console/runs',
  })
  return_to?: string;
}

/** The parameters of RFC 6749, section 4.1.2. Other parameters are ignored. */
export class OidcCallbackQuery {
  @Text({ optional: true, longest: 500, description: 'Value of `state` that the provider returns.' }) state?: string;
  @Text({ optional: true, longest: 4_000, description: 'Authorisation code, if the person signed in.' }) code?: string;
  @Text({ optional: true, longest: 200, description: 'Error code of the provider, if the sign-in failed.' })
  error?: string;
  @Text({ optional: true, longest: 2_000, description: 'Error text of the provider.' }) error_description?: string;
  @Text({ optional: true, longest: 500, description: 'Issuer of the response (RFC 9207).' }) iss?: string;
}

const START_PAGE = '/console/';

/** Returns the path if it belongs to the console, otherwise the start page of the console. */
export function consolePage(text: string | undefined): string {
  if (text === undefined || !text.startsWith(START_PAGE)) return START_PAGE;
  const base = 'http://console.invalid';
  if (!URL.canParse(text, base)) return START_PAGE;
  const { origin, pathname, search, hash } = new URL(text, base);
  return origin === base && pathname.startsWith(START_PAGE) ? `${pathname}${search}${hash}` : START_PAGE;
}
