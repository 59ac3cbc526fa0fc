import type { Response } from 'express';
import { type Agent, type CreatedAgent, effectiveStatus } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import type { Workspace } from '@app/workspace';
import { created, markReplayed } from '../http/answers.js';
import type { AgentResource, AgentTrigger, CreatedAgentResource } from './agent.dto.js';

export function presentAgent(agent: Agent, workspace: Workspace): AgentResource {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    production_version: agent.productionVersion,
    latest_version: agent.latestVersion,
    status: agent.status,
    effective_status: effectiveStatus(agent.status, workspace),
    triggers: agent.triggers.map(presentTrigger),
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

/** The answer to a creation: the agent, its webhook secret for the only time, and whether this is a repeated answer. */
export function presentCreation(
  response: Response,
  { agent, webhookSecret, warnings, replayed }: CreatedAgent,
  workspace: Workspace,
): CreatedAgentResource {
  if (replayed) markReplayed(response);
  const more = { webhook_secret: webhookSecret, warnings: [...warnings] };
  const resource = Object.assign(presentAgent(agent, workspace), more);
  return created(response, `/v1/agents/${agent.id}`, resource);
}

const SHOWN = ['id', 'type', 'mailbox', 'cron', 'timezone'] as const satisfies (keyof AgentTrigger)[];

/** What identifies a trigger and says when it fires; how it maps its event to input stays in the definition. */
function presentTrigger(trigger: JsonObject): AgentTrigger {
  const shown: AgentTrigger = { type: '' };
  for (const name of SHOWN) {
    const value = trigger[name];
    if (typeof value === 'string') shown[name] = value;
  }
  return shown;
}
