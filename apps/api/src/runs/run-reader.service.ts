import { Injectable } from '@nestjs/common';
import { Clock, notFound, type Page, type PageRequest } from '@app/kernel';
import {
  CallbacksService,
  presentTrace,
  presentTranscript,
  RevealedRunsService,
  type RunFilter,
  RunQueriesService,
  type RunWithApprovals,
  type TracedRun,
  type TracePart,
} from '@app/runs';
import { agentsOf, assertRecentSignIn, type Principal } from '@app/workspace';
import { requireScope } from '../http/access.js';
import type { RevealQuery } from './runs.api.js';
import type { TranscriptQuery, TranscriptResource } from './transcript.api.js';
import type { TraceResource, TraceStepResource } from './trace.api.js';

export type ReadRun = RunWithApprovals & { callbackUrl?: string };

/** Reads runs and hides redacted values, unless the caller asks for them (`reveal`) and may see them. */
@Injectable()
export class RunReaderService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly revealed: RevealedRunsService,
    private readonly callbacks: CallbacksService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a run.
   * @throws DomainError `not_found`. With `reveal`, also the errors of {@link requireScope} and
   * {@link assertRecentSignIn}.
   */
  async get(principal: Principal, runId: string, { reveal }: RevealQuery): Promise<ReadRun> {
    if (!reveal) return this.addressed(principal, await this.queries.getWithApprovals(principal.workspaceId, runId));
    this.assertMayReveal(principal);
    return this.addressed(principal, await this.revealed.get(principal, runId));
  }

  async list(principal: Principal, filter: RunFilter, request: PageRequest): Promise<Page<ReadRun>> {
    const agents = agentsOf(principal);
    const seen = { ...filter, ...(agents && { agents }) };
    const page = await this.queries.listWithApprovals(principal.workspaceId, seen, request);
    return { ...page, data: await this.allAddressed(principal, page.data) };
  }

  /** Adds the callback URL to the run if the caller may see it. */
  async addressed(principal: Principal, run: RunWithApprovals): Promise<ReadRun> {
    const [addressed = run] = await this.allAddressed(principal, [run]);
    return addressed;
  }

  private async allAddressed(principal: Principal, runs: readonly RunWithApprovals[]): Promise<ReadRun[]> {
    if (!principal.scopes.has('agents:run')) return [...runs];
    const urls = await this.callbacks.urlsOf(
      principal.workspaceId,
      runs.map(({ run }) => run),
    );
    return runs.map((read) => {
      const callbackUrl = urls.get(read.run.id);
      return callbackUrl === undefined ? read : { ...read, callbackUrl };
    });
  }

  /** @throws DomainError the errors of {@link get} */
  async trace(principal: Principal, runId: string, part: TracePart, { reveal }: RevealQuery): Promise<TraceResource> {
    return presentTrace(await this.tracedRun(principal, runId, part, reveal), part);
  }

  /** @throws DomainError `not_found` (also if the trace has no such step), and the errors of {@link get} */
  async step(principal: Principal, runId: string, n: number, { reveal }: RevealQuery): Promise<TraceStepResource> {
    const part = { afterN: n - 1, limit: 1, responses: true };
    const { steps } = presentTrace(await this.tracedRun(principal, runId, part, reveal), part);
    const [step] = steps;
    // If retention has deleted step `n`, the query returns the next step instead.
    if (step?.n !== n) throw notFound('step', String(n));
    return step;
  }

  /** @throws DomainError the errors of {@link get} */
  async transcript(
    principal: Principal,
    runId: string,
    { after_n: afterN, limit, reveal }: TranscriptQuery,
  ): Promise<TranscriptResource> {
    const part = { afterN, limit };
    if (reveal) this.assertMayReveal(principal);
    const { run, turns } = reveal
      ? await this.revealed.transcript(principal, runId, part)
      : await this.queries.transcript(principal.workspaceId, runId, part);
    return presentTranscript(run.id, turns, limit);
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
