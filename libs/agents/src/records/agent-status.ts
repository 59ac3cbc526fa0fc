/**
 * `active`: triggers start runs. `paused`: triggers do not start runs, but the API does. `archived`: read-only and
 * final, and no run starts. Pause and resume switch between active and paused.
 */
export const AGENT_STATUSES = ['active', 'paused', 'archived'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export type EffectiveAgentStatus = AgentStatus | 'stopped';

/** Returns the status that callers see. The emergency stop overrides the stored status and is never stored in it. */
export function effectiveStatus(status: AgentStatus, workspace: { state: 'active' | 'stopped' }): EffectiveAgentStatus {
  return workspace.state === 'stopped' && status !== 'archived' ? 'stopped' : status;
}

/** Filter for a list of agents. */
export interface AgentFilter {
  name?: string;
  /** By default, all agents that are not archived. */
  status?: AgentStatus;
  project?: string;
}
