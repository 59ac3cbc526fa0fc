import { type AgentEntity, type AgentFilter, AgentsService, type CreatedAgent } from '@app/agents';
import type { Page, PageRequest } from '@app/kernel';
import { BudgetsService } from '@app/runs';
import type { WorkspaceEntity } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentResource, CreatedAgentResource } from './agents.api.js';
import { type AgentCore, presentAgent, presentBudget } from './agents.view.js';

/** Adds to agents what they have spent today. */
@Injectable()
export class AgentReaderService {
  constructor(
    private readonly agents: AgentsService,
    private readonly budgets: BudgetsService,
  ) {}

  /** Reads the budgets of the page with one query, or with none if no agent has a daily budget. */
  async list(workspace: WorkspaceEntity, asked: PageRequest & AgentFilter): Promise<Page<AgentResource>> {
    const { data, ...page } = await this.agents.list(workspace.id, asked);
    const spent = await this.budgets.spentToday(workspace.id, data.flatMap(dailyBudget));
    return {
      ...page,
      data: data.map((agent) => withBudget(presentAgent(agent, workspace), presentBudget(agent, spent.get(agent.id)))),
    };
  }

  async present(agent: AgentEntity, workspace: WorkspaceEntity): Promise<AgentResource> {
    const spent = await this.budgets.spentToday(workspace.id, dailyBudget(agent));
    return withBudget(presentAgent(agent, workspace), presentBudget(agent, spent.get(agent.id)));
  }

  /** Returns the response body for a new agent, with its webhook secret. Later responses do not contain this secret. */
  async presentCreated(made: CreatedAgent, workspace: WorkspaceEntity): Promise<CreatedAgentResource> {
    const { agent, webhookSecret, warnings } = made;
    const resource = await this.present(agent, workspace);
    return Object.assign(resource, { webhook_secret: webhookSecret, warnings: [...warnings] });
  }
}

function dailyBudget({ id: agentId, budget }: AgentEntity): { agentId: string; currency: string }[] {
  return budget?.per_day === undefined ? [] : [{ agentId, currency: budget.currency }];
}

function withBudget(agent: AgentCore, budget: AgentResource['budget']): AgentResource {
  return Object.assign(agent, { budget });
}
