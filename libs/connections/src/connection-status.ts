/**
 * - `pending`: no person has authorised the connection yet.
 * - `active`: calls can use it.
 * - `expired`: the provider no longer accepts the authorisation. A person must authorise it again.
 */
export const CONNECTION_STATUSES = ['pending', 'active', 'expired'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];
