import { ApiBody, ApiSchema } from '@nestjs/swagger';
import { OneOf, Text } from '../http/fields.js';
import { LIMIT_WORDS, type RouteInput } from '../http/route-inputs.js';

@ApiSchema({ name: 'CallbackResult', description: 'The result of a call that a run waits for.' })
export class CallbackResultResource {
  @OneOf(['accepted'], { description: 'Result. The call is recorded, and the run continues.' }) status: 'accepted';
}

export const ACCEPTED: CallbackResultResource = { status: 'accepted' };

export const CallbackUrl = (): PropertyDecorator =>
  Text({
    optional: true,
    description:
      'Address that the run waits for a call of; of several, the first. Present only while the run waits for a callback, ' +
      'and only for callers with the scope `agents:run`. Absent in events.',
    example: 'https://agents.example.com/v1/callbacks/cnVuXzAx…',
  });

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** The handler itself reads the body, after it has checked the token. */
export const CALLBACK_BODY: RouteInput = {
  parts: [
    ApiBody({
      required: true,
      description: `A JSON object or a form of at most ${LIMIT_WORDS.input}.`,
      schema: { ...OBJECT, example: { status: 'done' } },
    }),
  ],
  problems: ['invalid_json', 'payload_too_large'],
};
