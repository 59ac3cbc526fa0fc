/**
 * active: its triggers start runs. paused: they do not, starting by API still works. archived: readable, nothing
 * starts. Pause and resume go back and forth between the first two; nothing leads out of archived.
 */
export const AGENT_STATUSES = ['active', 'paused', 'archived'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export type EffectiveAgentStatus = AgentStatus | 'stopped';

/** What a caller has to reckon with: the emergency stop is shown over the status and never written into it. */
export function effectiveStatus(status: AgentStatus, workspace: { state: 'active' | 'stopped' }): EffectiveAgentStatus {
  return workspace.state === 'stopped' && status !== 'archived' ? 'stopped' : status;
}
