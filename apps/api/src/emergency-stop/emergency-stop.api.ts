import { ApiSchema } from '@nestjs/swagger';
import { COUNTED_RUNS, DRAIN_TIMEOUT, STOPPED_RUNS, type StoppedRuns } from '@app/runs/emergency-stop';
import { Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { MAX_REASON, type StopBody } from './stop-request.js';

/** Describes the body for OpenAPI. `checkedStopBody` checks it, also in the thread that has no validator. */
@ApiSchema({ description: 'Options of the emergency stop.' })
export class StopWorkspaceBody implements StopBody {
  @Text({
    optional: true,
    maxLength: MAX_REASON,
    description: 'Reason, shown as `reason` of the workspace and recorded in the audit log.',
    example: 'Refunds are paid twice',
  })
  reason?: string;
  @OneOf(STOPPED_RUNS, {
    optional: true,
    default: 'suspend',
    description:
      'Treatment of current runs. `suspend`: they continue after the resume. `cancel`: they are cancelled, also if the workspace is already stopped.',
  })
  runs: StoppedRuns = 'suspend';
  @Whole({
    optional: true,
    minimum: 0,
    maximum: DRAIN_TIMEOUT.max,
    default: DRAIN_TIMEOUT.default,
    description:
      'Maximum time in milliseconds that the stop waits for calls in progress. Calls that are still in progress after this ' +
      'time are aborted. The response is sent as soon as no call is in progress.',
  })
  drain_timeout_ms: number = DRAIN_TIMEOUT.default;
}

const counted = (runs: string): object => ({
  maximum: COUNTED_RUNS,
  description: `Number of ${runs}, counted up to ${COUNTED_RUNS}.`,
  example: 2,
});

@ApiSchema({ name: 'OpenRuns', description: 'Number of runs that have not ended, by status.' })
export class OpenRunsResource {
  @Whole(counted('runs that wait, but not for an approval')) queued: number;
  @Whole(counted('runs in progress')) running: number;
  @Whole(counted('runs that wait for an approval')) waiting_approval: number;
}

const CALL_IN_FLIGHT_STATUSES = ['running', 'in_doubt', 'cancelled'] as const;
type CallInFlightStatus = (typeof CALL_IN_FLIGHT_STATUSES)[number];

@ApiSchema({ name: 'CallInFlight', description: 'A tool call that may still be in progress.' })
export class CallInFlightResource {
  @Id('run') run: string;
  @Whole({ description: 'Position of the call in the trace of the run.', example: 4 }) n: number;
  @Text({ description: 'Operation that was called.', example: 'shop.pay' }) tool: string;
  @OneOf(['read', 'write'], { description: 'Scope of the operation.', example: 'write' }) scope: 'read' | 'write';
  @Timestamp({ description: 'Start of the call.' }) started_at: string;
  @OneOf(CALL_IN_FLIGHT_STATUSES, {
    description:
      'Status of the call in the trace. `running`: no response yet. `in_doubt`: an aborted write that may have taken ' +
      'effect. `cancelled`: an aborted call that is made again if its run is resumed.',
  })
  status: CallInFlightStatus;
}

@ApiSchema({ name: 'EmergencyStop', description: 'The state of the workspace after the stop.' })
export class EmergencyStopResource {
  @OneOf(['stopped'], { description: 'Status of the workspace.' }) status: 'stopped';
  @Whole({
    description: 'Counter that increases by one with each stop and each resume; even while the workspace is stopped.',
    example: 2,
  })
  epoch: number;
  @Timestamp({ description: 'Time of the stop.' }) stopped_at: string;
  @Text({ description: 'E-mail address of the admin who stopped it.', example: 'ada@example.com' }) stopped_by: string;
  @Text({ nullable: true, description: 'Reason; null if none was given.', example: 'Refunds are paid twice' }) reason:
    string | null;
  @Nested(OpenRunsResource, { description: 'Number of runs that have not ended, by status.' }) runs: OpenRunsResource;
  @Nested(CallInFlightResource, {
    list: true,
    description:
      'Calls that had begun before the stop and could not be confirmed as ended. No other call is in progress. A repeated stop ' +
      'lists the calls that are in progress at that time.',
  })
  in_flight: CallInFlightResource[];
}
