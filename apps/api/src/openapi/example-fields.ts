/**
 * Key of an extension in a schema. Its value contains fields that replace those of the generated example. Without it,
 * for example, the example of a new run would have the status `succeeded`. The document does not contain the key.
 */
export const EXAMPLE_FIELDS = 'x-example-fields';

export const APPROVED_EXAMPLE = {
  status: 'approved',
  decisions: [
    { by: 'ada@example.com', decision: 'approve', comment: null, via: 'api', at: '2026-01-31T09:00:00.000Z' },
  ],
  decided_at: '2026-01-31T09:00:00.000Z',
};

export const QUEUED_SYNC_EXAMPLE = {
  status: 'queued',
  progress: { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 },
  failures: [],
  started_at: null,
  ended_at: null,
};

export const QUEUED_RUN_EXAMPLE = {
  status: 'queued',
  waiting: { for: 'worker' },
  output: null,
  ended_at: null,
  duration_ms: null,
  cost: { amount: '0.00', currency: 'EUR' },
};
