/** Which agents there are: knowledge bases are granted to agents but do not know them. The app that composes the module says who knows. */
export abstract class AgentDirectory {
  /** Those of the ids that are agents of the workspace. */
  abstract known(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
}
