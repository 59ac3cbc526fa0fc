import { Clock } from '@app/kernel';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { UnconfirmedCall } from './unconfirmed-call.js';
import { type OpenRuns, type Stopped, WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** How a stop handles open runs. `suspend`: they continue after the resume. `cancel`: they are cancelled. */
export const STOPPED_RUNS = ['suspend', 'cancel'] as const;
export type StoppedRuns = (typeof STOPPED_RUNS)[number];

/** A stop report counts at most this many runs of each status. */
export const COUNTED_RUNS = 10_000;

/** Time in milliseconds for running calls to finish. Afterwards, workers abort them. */
export const DRAIN_TIMEOUT = { default: 5_000, max: 30_000 } as const;

export interface StopOrder {
  actor: string;
  reason: string | null;
  runs: StoppedRuns;
  drainTimeoutMillis: number;
}

export interface StopReport extends Stopped {
  runs: OpenRuns;
  /** Calls that began before the stop and have no confirmed response, including calls that workers aborted. */
  inFlight: UnconfirmedCall[];
}

// Maximum time in milliseconds between a worker's last check of its start budget and the first byte of the call.
const START_SLACK_MILLIS = 250;
const LOOK_EVERY_MILLIS = 10;
/** Maximum time in milliseconds for which a stop request cancels runs. Workers cancel the remaining runs. */
const CANCEL_MILLIS = 2_000;

/**
 * Stops workspaces. A stop needs only Postgres. It does not need the queue, the ordinary connection pool or a worker.
 * The stop lock (libs/workspace/src/sql/stop_lock.sql) prevents new calls. This class waits for the running calls.
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
   * Stops the workspace. After this method resolves, no tool call begins until the resume, and each earlier call has a
   * response or is listed in `inFlight`. A repeated stop returns the same epoch.
   * @throws DomainError `unavailable` if it is unknown whether the workspace is stopped. The request can be repeated.
   */
  async stopWorkspace(workspaceId: string, order: StopOrder): Promise<StopReport> {
    const began = this.clock.monotonicMillis();
    const cancelRuns = order.runs === 'cancel';
    const { underWay, ...stopped } = await this.stops.stop(workspaceId, { ...order, cancelRuns });
    this.logger.warn({ workspaceId, actor: order.actor, epoch: stopped.epoch }, 'emergency stop: workspace stopped');
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

  /**
   * Returns the calls of a stopped workspace that have no confirmed response yet, oldest first. Empty while the
   * workspace is active.
   */
  async callsInFlight({ id, state }: { id: string; state: 'active' | 'stopped' }): Promise<UnconfirmedCall[]> {
    return state === 'active' ? [] : this.stops.unconfirmed(await this.stops.inFlight(id));
  }

  /**
   * Notifies the workers. A failure does not fail the stop, because workers also detect the stop by their next
   * heartbeat.
   */
  private async signal(workspaceId: string, drainTimeoutMillis: number): Promise<void> {
    try {
      await this.stops.signal(workspaceId, drainTimeoutMillis);
    } catch (error) {
      this.logger.warn(
        { err: error, workspaceId },
        'emergency stop: notifying workers failed, they detect the stop by a heartbeat',
      );
    }
  }

  /**
   * Waits for the calls whose intents were committed before the stop. They can begin until their start budget is used
   * up, and workers abort them after the drain time. This method waits longer than both together, so that the results
   * of aborted calls can be recorded.
   */
  private async drain(workspaceId: string, timeoutMillis: number): Promise<void> {
    const deadline = this.clock.monotonicMillis() + this.config.startBudgetMillis + START_SLACK_MILLIS + timeoutMillis;
    while ((await this.stops.inFlight(workspaceId)).length > 0 && this.clock.monotonicMillis() < deadline)
      await this.clock.sleep(LOOK_EVERY_MILLIS);
  }
}

function stopSeconds(metrics: Metrics) {
  return metrics.histogram(
    { name: 'aas_emergency_stop_seconds', help: 'Time from the request of an emergency stop to its response.' },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30],
  );
}
