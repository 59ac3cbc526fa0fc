import type { Type } from '@nestjs/common';
import { ApiSchema, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { RUN_STATUSES } from '@app/runs';
import { Id, Nested, OneOf, Text, Whole } from '../http/fields.js';
import { TRACE_STEPS } from './trace-steps.api.js';
import { TraceStepResource } from './trace.api.js';

@ApiSchema({ description: 'The status of the run, sent after the steps that led to it.' })
export class RunStatusData {
  @Id('run') run: string;
  @OneOf(RUN_STATUSES, { description: 'Status of the run.', example: 'running' }) status: string;
}

@ApiSchema({ description: 'A part of the text that a model is generating.' })
export class RunTextData {
  @Id('run') run: string;
  @Whole({ description: 'Position of the turn in the trace.', example: 3 }) n: number;
  @Text({ description: 'Path of the turn.', example: 'turn[2]' }) path: string;
  @Text({ description: 'Text that was generated.', example: 'Your refund ' }) text: string;
}

@ApiSchema({ description: 'The run whose event stream ends.' })
export class RunEndData {
  @Id('run') run: string;
}

/** The fields that all events have. `id` is the line `id:` of the event. */
class RunEventBase {
  @Text({
    optional: true,
    description: 'Value of `Last-Event-ID` for continuing after this event. Absent in `text` events.',
    example: '2',
  })
  id?: string;
}

@ApiSchema({ description: 'A step of the trace, sent again when it changes.' })
class RunStepEvent extends RunEventBase {
  @OneOf(['step'], { description: 'Type of the event.' }) type: 'step';
  @Nested(TraceStepResource, { description: 'Step of the trace.' }) data: TraceStepResource;
}

@ApiSchema({ description: 'The status of the run has changed.' })
class RunStatusEvent extends RunEventBase {
  @OneOf(['status'], { description: 'Type of the event.' }) type: 'status';
  @Nested(RunStatusData, { description: 'Status of the run.' }) data: RunStatusData;
}

@ApiSchema({ description: 'A model is generating text. The complete turn follows as a step.' })
class RunTextEvent extends RunEventBase {
  @OneOf(['text'], { description: 'Type of the event.' }) type: 'text';
  @Nested(RunTextData, { description: 'Text that was generated.' }) data: RunTextData;
}

@ApiSchema({ description: 'The last event of the stream.' })
class RunEndEvent extends RunEventBase {
  @OneOf(['end'], { description: 'Type of the event, always `end`.' }) type: 'end';
  @Nested(RunEndData, { description: 'Run that has ended.' }) data: RunEndData;
}

/** Schemas of the events of `GET /v1/runs/{id}/events`, by type. */
const RUN_EVENTS: Readonly<Record<string, Type>> = {
  step: RunStepEvent,
  status: RunStatusEvent,
  text: RunTextEvent,
  end: RunEndEvent,
};

const VARIANTS: readonly Type[] = [...Object.values(TRACE_STEPS), ...Object.values(RUN_EVENTS)];

/** Schemas with several variants. The field `type` selects the variant. */
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  TraceStep: unionOf(
    'A step of a run. Its `type` decides which fields it has. The wait for a decision counts in the `approval` or `in_doubt` step, not in the call. `status`: `pending`: approved, not begun. `denied`: refused by a policy, an approver or a missing grant. `simulated`: a write in mode `test`, not sent. `in_doubt`: outcome unknown. `cancelled`: aborted.',
    TRACE_STEPS,
  ),
  RunEvent: unionOf('An event of the stream of a run. `type` is the line `event:` of the stream.', RUN_EVENTS),
};

export const RUN_UNIONS = { variants: VARIANTS, schemas: SCHEMAS };

function unionOf(description: string, variants: Readonly<Record<string, Type>>): JsonObject {
  const mapping = Object.fromEntries(Object.entries(variants).map(([type, model]) => [type, getSchemaPath(model)]));
  return {
    description,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  };
}
