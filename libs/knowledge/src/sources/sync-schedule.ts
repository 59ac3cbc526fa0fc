/** When a source is synced by itself. Names are of UTC: the full hour, midnight, Monday's midnight. */
export type SyncSchedule = 'manual' | 'hourly' | 'daily' | 'weekly' | { cron: string; timezone: string };
