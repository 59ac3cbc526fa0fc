/** Returns SQL that keeps a value in the state of an agent or, if the owner is the workspace, of all its agents. */
export function aStateEntry(workspaceId: string, ownerId: string, key: string): string {
  return `insert into state_entries (owner_id, key, workspace_id, value, version, updated_at)
    values ('${ownerId}', '${key}', '${workspaceId}', '"kept"', 1, now())`;
}
