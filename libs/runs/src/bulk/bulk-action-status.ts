export const BULK_ACTION_KINDS = ['cancel', 'replay'] as const;
export type BulkActionKind = (typeof BULK_ACTION_KINDS)[number];

export const BULK_ACTION_STATUSES = ['queued', 'running', 'completed'] as const;
export type BulkActionStatus = (typeof BULK_ACTION_STATUSES)[number];

export const BULK_RESULT_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type BulkResultStatus = (typeof BULK_RESULT_STATUSES)[number];
