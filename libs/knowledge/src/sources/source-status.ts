/** Of a source. `error`: its last sync failed; what it had brought before stays. `paused`: its schedule does not fire. */
export const SOURCE_STATUSES = ['pending', 'syncing', 'active', 'error', 'paused', 'deleting'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Whether a source may read where it reads from: `expired` wants somebody to authorise it anew. */
export const AUTHORIZATION_STATES = ['not_required', 'authorized', 'expired'] as const;
export type AuthorizationState = (typeof AUTHORIZATION_STATES)[number];
