import { type AgentEntity, effectiveStatus } from '@app/agents';
import { formatMicros, type JsonObject, parseMicros } from '@app/kernel';
import type { SpentToday } from '@app/runs';
import type { WorkspaceEntity } from '@app/workspace';
import type { AgentBudget, AgentResource, AgentTrigger } from './agents.api.js';

export type AgentCore = Omit<AgentResource, 'budget'>;

/** Returns the part of the response whose changes change the `ETag`. */
export function presentAgent(agent: AgentEntity, workspace: WorkspaceEntity): AgentCore {
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

export function presentBudget({ budget }: AgentEntity, spent: SpentToday | undefined): AgentBudget | null {
  const limit = parseMicros(budget?.per_day ?? '');
  if (!budget || limit === undefined || !spent) return null;
  return {
    per_day: formatMicros(limit),
    currency: budget.currency,
    spent_today: formatMicros(spent.micros),
    reserved: formatMicros(spent.reserved),
    resets_at: spent.resetsAt.toISOString(),
  };
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
