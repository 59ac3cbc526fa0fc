import { type AgentEntity, type CreatedAgent, effectiveStatus } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import type { WorkspaceEntity } from '@app/workspace';
import { type AgentResource, type AgentTrigger, type CreatedAgentResource } from './agents.api.js';

export function presentAgent(agent: AgentEntity, workspace: WorkspaceEntity): AgentResource {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    production_version: agent.productionVersion,
    latest_version: agent.latestVersion,
    status: agent.status,
    effective_status: effectiveStatus(agent.status, workspace),
    triggers: agent.triggers.map(presentTrigger),
    project: agent.project,
    mcp_tool: agent.mcpTool,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

/** Returns the response body for a new agent, with its webhook secret. Later responses do not contain this secret. */
export function presentCreatedAgent(made: CreatedAgent, workspace: WorkspaceEntity): CreatedAgentResource {
  const { agent, webhookSecret, warnings } = made;
  return Object.assign(presentAgent(agent, workspace), { webhook_secret: webhookSecret, warnings: [...warnings] });
}

const SHOWN = ['id', 'type', 'mailbox', 'cron', 'timezone', 'tool', 'every'] as const satisfies (keyof AgentTrigger)[];

/** Returns the fields that identify a trigger and say when it fires. Omits the mapping of events to the run input. */
function presentTrigger(trigger: JsonObject): AgentTrigger {
  const shown: AgentTrigger = { type: '' };
  for (const name of SHOWN) {
    const value = trigger[name];
    if (typeof value === 'string') shown[name] = value;
  }
  return shown;
}
