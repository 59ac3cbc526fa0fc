import { type DefinitionSource, DraftAgentsService } from '@app/agents';
import { Injectable } from '@nestjs/common';
import type { RunEntity } from '../records/run.entity.js';
import { BackpressureService } from './backpressure.service.js';
import type { StartRun } from './new-runs.service.js';
import { completeInput, RunIntakeService } from './run-intake.service.js';

export interface StartDraftRun extends Pick<StartRun, 'workspaceId' | 'initiator' | 'input' | 'idempotency'> {
  definition: DefinitionSource;
}

/** Starts runs of definitions that the caller sends and that belong to no existing agent. */
@Injectable()
export class DraftRunsService {
  constructor(
    private readonly drafts: DraftAgentsService,
    private readonly intake: RunIntakeService,
    private readonly backpressure: BackpressureService,
  ) {}

  /**
   * Creates an agent for the definition, and starts a run of this agent in mode `test`. Retention deletes both after 24
   * hours. If the run is rejected, retention deletes the agent too.
   * @throws DomainError the errors of {@link DraftAgentsService.read} and {@link RunIntakeService.startRun}
   */
  async startDraft({ definition, ...request }: StartDraftRun): Promise<{ run: RunEntity; replayed: boolean }> {
    const { workspaceId, initiator, input } = request;
    const earlier = await this.intake.acceptedEarlier(request);
    if (earlier) return earlier;
    this.backpressure.admitRun(workspaceId);
    const draft = await this.drafts.read(workspaceId, definition);
    completeInput(draft.compiled, input);
    const agentId = await this.drafts.create({ workspaceId, email: initiator.email }, draft);
    return this.intake.startRun({ ...request, agentId, version: 1, mode: 'test', isDraft: true });
  }
}
