/** What a sync that has been through everything does about documents that its source has no more. */
export type DeletionDecision = { kind: 'delete' } | { kind: 'hold' } | { kind: 'refuse' };

/**
 * `refuse`: a source that gave nothing at all, although documents of it are indexed, is a source with a fault.
 * `hold`: more than this share would go, so a person decides.
 */
export function decideDeletions(
  { unseen, total }: { unseen: number; total: number },
  found: number,
  maxRatio: number,
): DeletionDecision {
  if (unseen === 0) return { kind: 'delete' };
  if (found === 0) return { kind: 'refuse' };
  return unseen > total * maxRatio ? { kind: 'hold' } : { kind: 'delete' };
}
