import type { SyncWorker } from '@app/knowledge';
import type { JobProcessor } from '@app/platform/queue';

/** `source.sync`: the worker finds out whether anything is due. */
export function syncSourceProcessor(syncs: SyncWorker): JobProcessor<{ syncId: string }> {
  return () => syncs.claimDue();
}
