import type { Agent, AgentsService } from '@app/agents';
import type { Workspace } from '@app/workspace';
import type { ListSource } from '../http/list-pages.js';
import type { AgentResource, ListAgentsQuery } from './agent.dto.js';
import { presentAgent } from './agent.presenter.js';

/** The list of agents that the query asks for. */
export function agentList(
  agents: AgentsService,
  workspace: Workspace,
  { name, status }: ListAgentsQuery,
): ListSource<Agent, AgentResource> {
  return {
    list: 'agents',
    workspaceId: workspace.id,
    filters: { name: name ?? null, status: status ?? null },
    read: (page) => agents.list(workspace.id, { ...page, name, status }),
    present: (agent) => presentAgent(agent, workspace),
  };
}
