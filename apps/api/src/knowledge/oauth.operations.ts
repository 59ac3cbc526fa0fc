import { Operation } from '../openapi/operation.decorator.js';

/** How the routes for browsers that authorise sources are described, by handler. */
export const OAUTH_OPERATIONS = {
  authorize: Operation({
    id: 'beginAuthorization',
    tag: 'Knowledge',
    summary: 'Where an authorize_url leads: on to the provider',
    answers: [
      { status: 302, description: 'The page of the provider.', headers: { Location: 'There.', 'Set-Cookie': 'The state, for the callback.' } }, // prettier-ignore
    ],
    problems: ['invalid_request', 'unavailable'],
  }),
  callback: Operation({
    id: 'finishAuthorization',
    tag: 'Knowledge',
    summary: 'Where the provider sends the browser back to',
    description: 'Adds the source, or authorises the one there is. A state is good for one callback.',
    answers: [{ description: 'A page that says so.', content: { 'text/html': { schema: { type: 'string' } } } }],
    problems: ['invalid_request', 'not_found', 'unavailable'],
  }),
};
