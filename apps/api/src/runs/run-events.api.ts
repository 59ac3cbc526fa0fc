import type { Type } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { RUN_STATUSES } from '@app/runs';
import { Id, Nested, OneOf, Text, Whole } from '../http/fields.js';
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
export const RUN_EVENTS: Readonly<Record<string, Type>> = {
  step: RunStepEvent,
  status: RunStatusEvent,
  text: RunTextEvent,
  end: RunEndEvent,
};
