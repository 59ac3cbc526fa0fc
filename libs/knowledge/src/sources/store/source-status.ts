/** `error`: its last sync failed, and its documents are kept. `paused`: its schedule does not run. */
export const SOURCE_STATUSES = ['pending', 'syncing', 'active', 'error', 'paused', 'deleting'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Valid only if the source is neither paused nor deleted. */
export const STATUS_BY_SYNCS = `case when last_sync_id is null then 'pending'
  when exists (select from knowledge_syncs y where y.source_id = knowledge_sources.id and y.ended_at is null) then 'syncing'
  when 'failed' = (select y.status from knowledge_syncs y where y.workspace_id = knowledge_sources.workspace_id
    and y.source_id = knowledge_sources.id and y.ended_at is not null and y.status <> 'cancelled' order by y.id desc limit 1) then 'error'
  else 'active' end`;

/** `expired`: a person must authorise the source again. */
export const AUTHORIZATION_STATES = ['not_required', 'authorized', 'expired'] as const;
export type AuthorizationState = (typeof AUTHORIZATION_STATES)[number];

export type SyncError = { code: string; message: string };
