import { Injectable } from '@nestjs/common';
import { Clock, notFound } from '@app/kernel';
import {
  presentTrace,
  RevealedRunsService,
  RunQueriesService,
  type RunWithApprovals,
  type TracedRun,
  type TracePart,
} from '@app/runs';
import { assertRecentSignIn, type Principal } from '@app/workspace';
import { requireScope } from '../http/access.decorators.js';
import type { RevealQuery } from './runs.api.js';
import type { TraceResource, TraceStepResource } from './trace.api.js';

/** Reads runs with redacted values hidden. The values are shown if the caller requests it and has the permission. */
@Injectable()
export class RunReaderService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly revealed: RevealedRunsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `not_found`, and with `reveal` the errors of {@link requireScope} and {@link
   * assertRecentSignIn}
   */
  async get(principal: Principal, runId: string, { reveal }: RevealQuery): Promise<RunWithApprovals> {
    if (!reveal) return this.queries.getWithApprovals(principal.workspaceId, runId);
    this.assertMayReveal(principal);
    return this.revealed.get(principal, runId);
  }

  /** Returns this part of the trace. Throws the errors of {@link get}. */
  async trace(principal: Principal, runId: string, part: TracePart, { reveal }: RevealQuery): Promise<TraceResource> {
    return presentTrace(await this.tracedRun(principal, runId, part, reveal), part);
  }

  /** @throws DomainError `not_found`, also for the step, and the errors of {@link get} */
  async step(principal: Principal, runId: string, n: number, { reveal }: RevealQuery): Promise<TraceStepResource> {
    const part = { afterN: n - 1, limit: 1 };
    const { steps } = presentTrace(await this.tracedRun(principal, runId, part, reveal), part);
    const [step] = steps;
    // Retention leaves gaps in a trace.
    if (step?.n !== n) throw notFound('step', String(n));
    return step;
  }

  private tracedRun(principal: Principal, runId: string, part: TracePart, reveal: boolean): Promise<TracedRun> {
    if (!reveal) return this.queries.shownTrace(principal.workspaceId, runId, part);
    this.assertMayReveal(principal);
    return this.revealed.trace(principal, runId, part);
  }

  private assertMayReveal(principal: Principal): void {
    requireScope(principal, 'runs:reveal');
    assertRecentSignIn(principal, this.clock.now());
  }
}
