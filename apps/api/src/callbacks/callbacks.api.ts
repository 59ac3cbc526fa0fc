import { ApiBody, ApiSchema } from '@nestjs/swagger';
import { OneOf, Text } from '../http/fields.js';
import { LIMIT_WORDS, type RouteInput } from '../http/route-inputs.js';

@ApiSchema({ name: 'CallbackResult', description: 'The result of a call that a run waits for.' })
export class CallbackResultResource {
  @OneOf(['accepted'], { description: 'Always `accepted`: the call is recorded, and the run continues.' })
  status: 'accepted';
}

export const ACCEPTED: CallbackResultResource = { status: 'accepted' };

export const CallbackUrl = (): PropertyDecorator =>
  Text({
    optional: true,
    description:
      'Address of the callback that the run waits for; the first if there are several. Absent in events, for ' +
      'callers without the scope `agents:run`, and if the run waits for no callback.',
    example: 'https://agents.example.com/v1/callbacks/cnVuXzAx…',
  });

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** The handler itself reads the body, after it has checked the token. */
export const CALLBACK_BODY: RouteInput = {
  parts: [
    ApiBody({
      required: true,
      description: `A JSON object or a form of at most ${LIMIT_WORDS.input}. Each file of a form may have ${LIMIT_WORDS.file}.`,
      schema: { ...OBJECT, example: { status: 'done' } },
    }),
  ],
  problems: ['invalid_json', 'payload_too_large', 'file_too_large', 'file_quota_exceeded', 'file_refused'],
};
