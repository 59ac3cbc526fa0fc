import { ApiHeader } from '@nestjs/swagger';
import { Operation } from '../openapi/operation.decorator.js';
import { RUN_ID } from './run.operations.js';

const EXAMPLE = `event: step
id: 2
data: {"n":2,"type":"tool_call","id":"run_01kahzvk3te9d8q6f0f1v3m2sx.2","status":"succeeded","tool":"orders.get"}

event: text
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx","n":3,"path":"turn[2]","text":"Your refund "}

event: status
id: 2
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx","status":"succeeded"}

event: end
id: end
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx"}

`;

/** How the live view is described. */
export const RUN_EVENT_OPERATIONS = {
  follow: Operation(
    {
      id: 'followRun',
      tag: 'Runs',
      summary: 'What a run does, as it does it',
      description:
        'Server-Sent Events: `step` is a step of the trace, sent again whenever it changes; `status` is the status of the run, ' +
        'never ahead of the steps; `end` is the last event, after which the answer ends. Reconnecting with the id of the ' +
        'last event as `Last-Event-ID` misses nothing and may repeat steps that were under way. Changes are seen within about a ' +
        'quarter of a second (`RUN_EVENTS_POLL_MS`); statuses that a run passed through in between are left out. A ' +
        'comment every 15 seconds keeps quiet streams alive. A run that has ended sends everything and ends. What a model is ' +
        'writing comes as `text`: pieces of the turn at position `n`, without an id, and lost on whoever is not there; the ' +
        'whole turn follows as a `step`.',
      answers: [
        {
          description: 'The events.',
          content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
        },
        { status: 204, description: 'The reader has seen the `end`: it need not reconnect.' },
      ],
      problems: ['not_found'],
    },
    RUN_ID,
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Id of the last event that was seen; it counts more than `after_n`.',
      schema: { type: 'string' },
    }),
  ),
};
