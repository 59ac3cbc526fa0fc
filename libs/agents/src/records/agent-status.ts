/**
 * `active`: triggers start runs. `paused`: triggers do not start runs, but the API does. `archived`: the agent is
 * read-only, starts no runs, and cannot become active again. Pause and resume switch between active and paused.
 */
export const AGENT_STATUSES = ['active', 'paused', 'archived'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export type EffectiveAgentStatus = AgentStatus | 'stopped';

/**
 * Returns the status that callers see. While the workspace is stopped, the emergency stop overrides the stored status.
 */
export function effectiveStatus(status: AgentStatus, workspace: { state: 'active' | 'stopped' }): EffectiveAgentStatus {
  return workspace.state === 'stopped' && status !== 'archived' ? 'stopped' : status;
}

export interface AgentFilter {
  name?: string;
  status?: AgentStatus;
  project?: string;
  ids?: readonly string[];
}
