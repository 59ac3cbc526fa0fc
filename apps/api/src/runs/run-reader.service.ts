import { Injectable } from '@nestjs/common';
import { RevealedRunsService, RunQueriesService, type RunWithApprovals, type TracedRun } from '@app/runs';
import type { Principal } from '@app/workspace';
import { requireScope } from '../http/access.decorators.js';
import { RevealQuery, TraceQuery } from './runs.api.js';

/** Reads runs with redactions, or without them if the caller requests it and is allowed to. */
@Injectable()
export class RunReaderService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly revealed: RevealedRunsService,
  ) {}

  /** @throws DomainError `not_found`, and with `reveal` the errors of {@link requireScope} */
  async get(principal: Principal, runId: string, { reveal }: RevealQuery): Promise<RunWithApprovals> {
    if (!reveal) return this.queries.getWithApprovals(principal.workspaceId, runId);
    requireScope(principal, 'runs:reveal');
    return this.revealed.get(principal, runId);
  }

  /** The trace after position `after_n`. Throws the errors of {@link get}. */
  async trace(principal: Principal, runId: string, { reveal, after_n: afterN }: TraceQuery): Promise<TracedRun> {
    if (!reveal) return this.queries.trace(principal.workspaceId, runId, afterN);
    requireScope(principal, 'runs:reveal');
    return this.revealed.trace(principal, runId, afterN);
  }
}
