/**
 * Port: an agent was archived. What runs or evaluates agents cancels what has not begun. The installation binds it
 * (libs/installation); each lib above agents that must react is called there.
 */
export abstract class AgentArchivedListener {
  /** Called after the commit. Workers repeat what a crash leaves undone, so an implementation may be called twice. */
  abstract agentArchived(agent: { id: string; workspaceId: string }): Promise<void>;
}
