import { Injectable } from '@nestjs/common';
import { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from '@app/definition';
import { isId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { SnapshotsService, withoutTenantRole } from '@app/platform/database';
import { ApprovalsRepository } from './approvals.repository.js';
import { comparesJson, isSearch, type RunFilter, type TracePart } from './list-filters.js';
import { RunsRepository } from './runs.repository.js';
import { type RecordedTurn, TranscriptsRepository } from './transcripts.repository.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import type { RunEntity } from '../records/run.entity.js';

export interface RunWithApprovals {
  run: RunEntity;
  approvals: ApprovalEntity[];
}

export interface TracedRun {
  run: RunEntity;
  steps: RunStepEntity[];
}

export interface Transcript {
  run: RunEntity;
  turns: RecordedTurn[];
}

/** This also works while the workspace is stopped. */
@Injectable()
export class RunQueriesService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly approvals: ApprovalsRepository,
    private readonly snapshots: SnapshotsService,
    private readonly transcripts: TranscriptsRepository,
  ) {}

  /** A page of a search can have fewer runs than its limit although more pages follow. */
  async list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunEntity>> {
    const found = toPage(await this.runs.page(workspaceId, filter, page), page.limit);
    if (!isSearch(filter) || found.last !== undefined) return found;
    const last = await this.runs.lastSearched(workspaceId, filter, page);
    return { ...found, ...(last !== undefined && { last }) };
  }

  /** Executes two statements on one snapshot, for any number of runs. */
  async listWithApprovals(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunWithApprovals>> {
    const read = () => this.snapshots.read(() => this.readWithApprovals(workspaceId, filter, page));
    // All reads of a snapshot use the database role of its first read, so the role is set before the snapshot begins.
    return comparesJson(filter) ? withoutTenantRole(read) : read();
  }

  private async readWithApprovals(
    workspaceId: string,
    filter: RunFilter,
    page: PageRequest,
  ): Promise<Page<RunWithApprovals>> {
    const { data, ...rest } = await this.list(workspaceId, filter, page);
    const ids = data.map((run) => run.id);
    const byRun = new Map<string, ApprovalEntity[]>(ids.map((id) => [id, []]));
    for (const approval of await this.approvals.ofRuns(workspaceId, ids)) byRun.get(approval.runId)?.push(approval);
    return { data: data.map((run) => ({ run, approvals: byRun.get(run.id) ?? [] })), ...rest };
  }

  async getWithApprovals(workspaceId: string, runId: string): Promise<RunWithApprovals> {
    const [run, approvals] = await this.snapshots.read(() =>
      Promise.all([this.get(workspaceId, runId), this.approvals.ofRuns(workspaceId, [runId])]),
    );
    return { run, approvals };
  }

  /** @throws DomainError `not_found`, also for a malformed id and for a run of another workspace */
  async get(workspaceId: string, runId: string): Promise<RunEntity> {
    const run = isId('run', runId) ? await this.runs.find(workspaceId, runId) : null;
    if (!run) throw notFound('run', runId);
    return run;
  }

  /** If more steps follow this part, also returns the first of them. */
  async shownTrace(workspaceId: string, runId: string, part: TracePart): Promise<TracedRun> {
    const [run, steps] = await this.snapshots.read(() =>
      Promise.all([this.get(workspaceId, runId), this.runs.shownSteps(workspaceId, runId, part)]),
    );
    return { run, steps };
  }

  /** If more turns follow this part, also returns the first of them. */
  async transcript(
    workspaceId: string,
    runId: string,
    { afterN, limit }: { afterN: number; limit: number },
  ): Promise<Transcript> {
    const part = { afterN, limit: limit + 1 };
    const [run, turns] = await this.snapshots.read(() =>
      Promise.all([this.get(workspaceId, runId), this.transcripts.turnsAfter(workspaceId, runId, part)]),
    );
    return { run, turns };
  }

  /** The trigger (position 1) is not a recorded step, so it is never included. */
  async trace(workspaceId: string, runId: string, afterN = 0): Promise<{ run: RunEntity; steps: RunStepEntity[] }> {
    const [run, steps] = await this.snapshots.read(() =>
      Promise.all([this.get(workspaceId, runId), this.runs.stepsAfter(workspaceId, runId, afterN)]),
    );
    return { run, steps };
  }
}

/** The state machine stores retrievals as tool calls. */
export function isRetrieval({ type, tool }: Pick<RunStepEntity, 'type' | 'tool'>): boolean {
  return type === 'tool_call' && (tool === KNOWLEDGE_RETRIEVAL || tool === KNOWLEDGE_SEARCH);
}
