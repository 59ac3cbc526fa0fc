import { PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { EventResource } from './event.dto.js';

/** How events are described, by handler. */
export const EVENT_OPERATIONS = {
  list: Operation({
    id: 'listEvents',
    tag: 'Events',
    summary: 'What has happened in the workspace',
    description:
      'For consumers that missed messages: the same ids and the same content. Where nobody had subscribed, `data` is the run or ' +
      'the approval as it is now.',
    answers: [{ description: 'One page of events.', type: EventResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
};
