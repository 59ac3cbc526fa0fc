import { Clock } from '@app/kernel';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  type OpenRuns,
  type Stopped,
  type UnconfirmedCall,
  WorkspaceStopsRepository,
} from './workspace-stops.repository.js';

/** What becomes of the runs: suspended ones go on after the resume. */
export const STOPPED_RUNS = ['suspend', 'cancel'] as const;
export type StoppedRuns = (typeof STOPPED_RUNS)[number];

/** Each status is counted up to this number. */
export const COUNTED_RUNS = 10_000;

/** Milliseconds that calls under way have to end by themselves; what is left then is broken off. */
export const DRAIN_TIMEOUT = { default: 5_000, max: 30_000 } as const;

export interface StopOrder {
  /** E-mail address of the admin. */
  actor: string;
  reason: string | null;
  runs: StoppedRuns;
  drainTimeoutMillis: number;
}

export interface StopReport extends Stopped {
  runs: OpenRuns;
  /** Calls that had begun and did not answer in time, those that were broken off included. */
  inFlight: UnconfirmedCall[];
}

// Between the last look at its start budget and the first byte of a call a process needs a moment of its own.
const START_SLACK_MILLIS = 250;
const LOOK_EVERY_MILLIS = 10;
/** How long a stop cancels runs before it answers. Workers cancel the remaining runs. */
const CANCEL_MILLIS = 2_000;

/**
 * The red button. Needs Postgres and nothing else: neither the queue nor the ordinary connection pool nor any worker. The
 * guarantee is the fence's (sql/stop_lock.sql); what this class adds is knowing when it has come true.
 */
@Injectable()
export class EmergencyStopService implements OnApplicationBootstrap {
  private readonly seconds: ReturnType<typeof stopSeconds>;

  constructor(
    private readonly stops: WorkspaceStopsRepository,
    private readonly clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.seconds = stopSeconds(metrics);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.stops.prepare();
  }

  /**
   * Stops the workspace. Once this has resolved, no tool call begins anywhere until the resume, and every call that had
   * begun has answered or is listed. Repeating it changes nothing and answers the same epoch.
   * @throws DomainError `unavailable`: then it is not known whether the workspace is stopped, and repeating is safe
   */
  async stopWorkspace(workspaceId: string, order: StopOrder): Promise<StopReport> {
    const began = this.clock.monotonicMillis();
    const cancelRuns = order.runs === 'cancel';
    const { underWay, ...stopped } = await this.stops.stop(workspaceId, { ...order, cancelRuns });
    this.logger.warn({ workspaceId, actor: order.actor, epoch: stopped.epoch }, 'the workspace is stopped');
    await this.signal(workspaceId, order.drainTimeoutMillis);
    if (underWay.length > 0) await this.drain(workspaceId, order.drainTimeoutMillis);
    if (cancelRuns)
      await this.stops.cancelRunsWithin(workspaceId, { ...order, unbegun: false }, CANCEL_MILLIS, this.clock);
    const [runs, inFlight] = await Promise.all([
      this.stops.countRuns(workspaceId, COUNTED_RUNS),
      this.stops.unconfirmed(underWay),
    ]);
    this.seconds.observe((this.clock.monotonicMillis() - began) / 1000);
    return { ...stopped, runs, inFlight };
  }

  /** Not part of the stop's transaction, and not allowed to fail it: workers learn of the stop without it, only later. */
  private async signal(workspaceId: string, drainTimeoutMillis: number): Promise<void> {
    try {
      await this.stops.signal(workspaceId, drainTimeoutMillis);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'workers could not be told of the stop');
    }
  }

  /**
   * Waits for the calls whose intents were committed before the stop. Each of them may begin for as long as its start
   * budget lasts, which had begun before the intent was committed; so after that time only calls that are under way are
   * left. These have the drain time to end, then their workers break them off, for which there is as much time again as for
   * beginning. Time is counted from the answer of the stop, which is later than the stop.
   */
  private async drain(workspaceId: string, timeoutMillis: number): Promise<void> {
    const deadline = this.clock.monotonicMillis() + this.config.startBudgetMillis + START_SLACK_MILLIS + timeoutMillis;
    while ((await this.stops.inFlight(workspaceId)).length > 0 && this.clock.monotonicMillis() < deadline)
      await this.clock.sleep(LOOK_EVERY_MILLIS);
  }
}

function stopSeconds(metrics: Metrics) {
  return metrics.histogram(
    { name: 'aas_emergency_stop_seconds', help: 'From pressing the emergency stop to its answer.' },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30],
  );
}
