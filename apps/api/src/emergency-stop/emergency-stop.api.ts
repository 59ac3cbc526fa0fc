import { ApiSchema } from '@nestjs/swagger';
import {
  COUNTED_RUNS,
  DRAIN_TIMEOUT,
  type StopOrder,
  STOPPED_RUNS,
  type StoppedRuns,
  type StopReport,
} from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import { Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

/** Characters. */
export const LONGEST_REASON = 1_000;

export class StopWorkspaceBody {
  @Text({ optional: true, maxLength: LONGEST_REASON, description: 'Shown in the workspace and kept in the audit log.' })
  reason?: string;
  @OneOf(STOPPED_RUNS, {
    optional: true,
    default: 'suspend',
    description:
      'Suspended runs go on after the resume. A workspace that is stopped already can still be told to cancel.',
  })
  runs: StoppedRuns = 'suspend';
  @Whole({
    optional: true,
    minimum: 0,
    maximum: DRAIN_TIMEOUT.max,
    default: DRAIN_TIMEOUT.default,
    description:
      'Milliseconds that calls under way have to end by themselves; what is left then is broken off. The answer comes ' +
      'as soon as none is under way.',
  })
  drain_timeout_ms: number = DRAIN_TIMEOUT.default;
}

const counted = { maximum: COUNTED_RUNS, description: `Counted up to ${COUNTED_RUNS}.` };

@ApiSchema({ name: 'OpenRuns' })
export class OpenRunsResource {
  @Whole(counted) queued: number;
  @Whole(counted) running: number;
  @Whole(counted) waiting_approval: number;
}

const CALL_IN_FLIGHT_STATUSES = ['running', 'in_doubt', 'cancelled'] as const;
type CallInFlightStatus = (typeof CALL_IN_FLIGHT_STATUSES)[number];

@ApiSchema({ name: 'CallInFlight' })
export class CallInFlightResource {
  @Text({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' }) run: string;
  @Whole({ description: 'Position in the trace of the run.' }) n: number;
  @Text({ example: 'shop.pay' }) tool: string;
  @OneOf(['read', 'write']) scope: 'read' | 'write';
  @Timestamp() started_at: string;
  @OneOf(CALL_IN_FLIGHT_STATUSES, {
    description:
      'What the trace says of it now: `running`; `in_doubt`, a write that was broken off and may have happened; `cancelled`, ' +
      'a call that was broken off and is made again after the resume where its run goes on.',
  })
  status: CallInFlightStatus;
}

@ApiSchema({ name: 'EmergencyStop' })
export class EmergencyStopResource {
  @OneOf(['stopped']) status: 'stopped';
  @Whole({ description: 'Rises at every stop and at every resume; even while stopped.' }) epoch: number;
  @Timestamp() stopped_at: string;
  @Text({ description: 'E-mail address.' }) stopped_by: string;
  @Text({ nullable: true }) reason: string | null;
  @Nested(OpenRunsResource, { description: 'Runs that have not ended.' }) runs: OpenRunsResource;
  @Nested(CallInFlightResource, {
    list: true,
    description:
      'Calls that had begun before the stop and could not be confirmed as ended: no answer of them came in time. No other ' +
      'call is under way. A stop that is repeated lists what is under way then.',
  })
  in_flight: CallInFlightResource[];
}

export function stopOrder({ email }: Principal, body: StopWorkspaceBody): StopOrder {
  return { actor: email, reason: body.reason ?? null, runs: body.runs, drainTimeoutMillis: body.drain_timeout_ms };
}

/** As the trace spells it. */
const STATUS_OF = {
  started: 'running',
  in_doubt: 'in_doubt',
  interrupted: 'cancelled',
  cancelled: 'cancelled',
} as const satisfies Record<StopReport['inFlight'][number]['state'], string>;

export function presentStop({
  epoch,
  stoppedAt,
  stoppedBy,
  reason,
  runs,
  inFlight,
}: StopReport): EmergencyStopResource {
  return {
    status: 'stopped',
    epoch,
    stopped_at: stoppedAt.toISOString(),
    stopped_by: stoppedBy,
    reason,
    runs: { queued: runs.queued, running: runs.running, waiting_approval: runs.waitingApproval },
    in_flight: inFlight.map((call) => ({
      run: call.runId,
      n: call.n,
      tool: call.tool,
      scope: call.scope,
      started_at: call.startedAt.toISOString(),
      status: STATUS_OF[call.state],
    })),
  };
}
