import type { Clock } from '@app/kernel';
import type { ReservedStatements } from '@app/platform/database';
import type { WorkerConfig } from '@app/platform/periodic';
import type { Histograms, Logger } from '@app/platform/observability';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { UnconfirmedCall } from './unconfirmed-call.js';
import { type OpenRuns, type Stopped, WorkspaceStopsRepository } from './workspace-stops.repository.js';

export const STOPPED_RUNS = ['suspend', 'cancel'] as const;
export type StoppedRuns = (typeof STOPPED_RUNS)[number];

/** Maximum number of runs of each status that a stop report counts. */
export const COUNTED_RUNS = 10_000;

/** Workers then abort the calls. */
export const DRAIN_TIMEOUT = { default: 5_000, max: 30_000 } as const;

export interface StopOrder {
  actor: string;
  reason: string | null;
  runs: StoppedRuns;
  drainTimeoutMillis: number;
}

export interface StopReport extends Stopped {
  runs: OpenRuns;
  inFlight: UnconfirmedCall[];
}

// Maximum time in milliseconds between a worker's last check that it may start a call and the first byte of the call.
const START_SLACK_MILLIS = 250;
const LOOK_EVERY_MILLIS = 10;
const CANCEL_MILLIS = 2_000;

/**
 * A stop needs only Postgres: neither the queue, the ordinary connection pool nor a worker must be available. The thread
 * of the stop listener uses this class without Nest, so it has no decorators.
 */
export class EmergencyStopService implements OnApplicationBootstrap {
  private readonly stops: WorkspaceStopsRepository;
  private readonly seconds: ReturnType<typeof stopSeconds>;

  constructor(
    reserve: ReservedStatements,
    private readonly clock: Clock,
    private readonly config: Pick<WorkerConfig, 'startBudgetMillis'>,
    private readonly logger: Logger,
    metrics: Histograms,
  ) {
    this.stops = new WorkspaceStopsRepository(reserve);
    this.seconds = stopSeconds(metrics);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.stops.prepare();
  }

  /**
   * After this method resolves, no tool call begins until the workspace is resumed. Each earlier call has a response or
   * is listed in `inFlight`. A repeated stop returns the same epoch.
   * @throws DomainError `unavailable` if it is unknown whether the workspace is stopped. The caller can repeat the
   * request.
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

  /** Empty while the workspace is active. */
  async callsInFlight({ id, state }: { id: string; state: 'active' | 'stopped' }): Promise<UnconfirmedCall[]> {
    return state === 'active' ? [] : this.stops.unconfirmed(await this.stops.inFlight(id));
  }

  /**
   * If the notification fails, the stop still succeeds, because each worker also detects the stop at its next
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
   * A worker may still begin such a call until its start permission expires. This method waits longer than the
   * permission and the drain timeout together, so that workers can record the results of aborted calls.
   */
  private async drain(workspaceId: string, timeoutMillis: number): Promise<void> {
    const deadline = this.clock.monotonicMillis() + this.config.startBudgetMillis + START_SLACK_MILLIS + timeoutMillis;
    while ((await this.stops.inFlight(workspaceId)).length > 0 && this.clock.monotonicMillis() < deadline)
      await this.clock.sleep(LOOK_EVERY_MILLIS);
  }
}

function stopSeconds(metrics: Histograms) {
  return metrics.histogram(
    { name: 'aas_emergency_stop_seconds', help: 'Time from the request of an emergency stop to its response.' },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30],
  );
}
