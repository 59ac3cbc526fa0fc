import { type Actor, type Agent, AgentLifecycle, type AgentPrecondition } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { EvaluationCancellation } from '../evaluation/evaluation-cancellation.service.js';
import { ArchivedRuns } from './archived-runs.js';

/** Archives agents, with what that means for their runs. */
@Injectable()
export class AgentArchive {
  constructor(
    private readonly lifecycle: AgentLifecycle,
    private readonly runs: ArchivedRuns,
    private readonly evaluations: EvaluationCancellation,
  ) {}

  /**
   * Nothing of the agent starts any more: runs that nobody has begun and evaluations are cancelled, runs under way end as they would have.
   * Whatever is killed meanwhile, workers carry on with the cancelling.
   * @throws DomainError `not_found`, `precondition_failed`
   */
  async archive(actor: Actor, agentId: string, isExpected?: AgentPrecondition): Promise<Agent> {
    const agent = await this.lifecycle.archive(actor, agentId, isExpected);
    await this.runs.cancelOf(agentId);
    await this.evaluations.archived(actor.workspaceId, agentId);
    return agent;
  }
}
