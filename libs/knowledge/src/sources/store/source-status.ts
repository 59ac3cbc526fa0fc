/** Of a source. `error`: its last sync failed; what it had brought before stays. `paused`: its schedule does not fire. */
export const SOURCE_STATUSES = ['pending', 'syncing', 'active', 'error', 'paused', 'deleting'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/**
 * In SQL, of a row of `knowledge_sources`: the status that its syncs give it while it is neither paused nor deleted. One that was cancelled
 * says nothing about it.
 */
export const STATUS_BY_SYNCS = `case when last_sync_id is null then 'pending'
  when exists (select from knowledge_syncs y where y.source_id = knowledge_sources.id and y.ended_at is null) then 'syncing'
  when 'failed' = (select y.status from knowledge_syncs y where y.workspace_id = knowledge_sources.workspace_id
    and y.source_id = knowledge_sources.id and y.ended_at is not null and y.status <> 'cancelled' order by y.id desc limit 1) then 'error'
  else 'active' end`;

/** Whether a source may read where it reads from: `expired` wants somebody to authorise it anew. */
export const AUTHORIZATION_STATES = ['not_required', 'authorized', 'expired'] as const;
export type AuthorizationState = (typeof AUTHORIZATION_STATES)[number];

/** Why a source or its sync failed, for people, with a word for programs. */
export type SyncError = { code: string; message: string };
