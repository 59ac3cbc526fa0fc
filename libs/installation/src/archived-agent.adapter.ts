import { AgentArchivedListener, type AgentEntity } from '@app/agents';
import { EvaluationSupervisorService } from '@app/evaluation';
import { RunStore } from '@app/runs';
import { Injectable } from '@nestjs/common';

@Injectable()
export class ArchivedAgentAdapter extends AgentArchivedListener {
  constructor(
    private readonly runs: RunStore,
    private readonly evaluations: EvaluationSupervisorService,
  ) {
    super();
  }

  async agentArchived({ id, workspaceId }: AgentEntity): Promise<void> {
    await this.runs.cancelRunsOfArchivedAgent(id);
    await this.evaluations.cancelOfArchivedAgent(workspaceId, id);
  }
}
