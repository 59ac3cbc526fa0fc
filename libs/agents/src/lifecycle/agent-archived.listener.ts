/**
 * Port that is called when an agent was archived, to cancel its runs and evaluations that have not begun.
 * `libs/installation` binds it and calls the libs that must react.
 */
export abstract class AgentArchivedListener {
  /** Called after the commit. Workers repeat the call's work after a crash, so an implementation must be idempotent. */
  abstract agentArchived(agent: { id: string; workspaceId: string }): Promise<void>;
}
