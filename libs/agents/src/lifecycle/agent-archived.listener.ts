/**
 * Port that is called after an agent was archived. The implementation cancels the runs and evaluations of the agent
 * that have not started. `libs/installation` binds it and calls the libs that must react.
 */
export abstract class AgentArchivedListener {
  /**
   * Called after the commit. If the process crashes, workers do the work of this call again. An implementation must
   * therefore be idempotent.
   */
  abstract agentArchived(agent: { id: string; workspaceId: string }): Promise<void>;
}
