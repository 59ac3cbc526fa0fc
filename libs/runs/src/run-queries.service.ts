import { isId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Run } from './run.entity.js';
import type { RunFilter } from './run-filter.js';
import type { RunStep } from './run-step.entity.js';
import { RunsRepository } from './runs.repository.js';

/** What may be asked about runs. Reads work whether or not the workspace is stopped. */
@Injectable()
export class RunQueries {
  constructor(private readonly runs: RunsRepository) {}

  async list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<Run>> {
    return toPage(await this.runs.page(workspaceId, filter, page), page.limit);
  }

  /** @throws DomainError `not_found`, also for a malformed id and for a run of another workspace */
  async get(workspaceId: string, runId: string): Promise<Run> {
    const run = isId('run', runId) ? await this.runs.find(workspaceId, runId) : null;
    if (!run) throw notFound('run', runId);
    return run;
  }

  /** The run and its recorded steps after position `afterN` (the trigger, position 1, is part of the run itself). */
  async trace(workspaceId: string, runId: string, afterN = 0): Promise<{ run: Run; steps: RunStep[] }> {
    const run = await this.get(workspaceId, runId);
    return { run, steps: await this.runs.stepsAfter(workspaceId, runId, afterN) };
  }
}
