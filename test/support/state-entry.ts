/**
 * Returns SQL that stores a value in the state of the agent `ownerId`. If `ownerId` is the id of the workspace, all
 * agents of the workspace share the value.
 */
export function aStateEntry(workspaceId: string, ownerId: string, key: string): string {
  return `insert into state_entries (owner_id, key, workspace_id, value, version, updated_at)
    values ('${ownerId}', '${key}', '${workspaceId}', '"kept"', 1, now())`;
}
