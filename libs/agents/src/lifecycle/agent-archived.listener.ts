/**
 * Port that is called after an agent was archived, to cancel its runs and evaluations that have not started.
 * `libs/installation` binds it and calls the libs that must react.
 */
export abstract class AgentArchivedListener {
  /**
   * Called after the commit. After a crash, workers do the same work again, so an implementation must be idempotent.
   */
  abstract agentArchived(agent: { id: string; workspaceId: string }): Promise<void>;
}
