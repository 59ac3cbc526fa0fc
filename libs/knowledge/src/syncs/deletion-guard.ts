export type DeletionDecision = { kind: 'delete' } | { kind: 'hold' } | { kind: 'refuse' };

/**
 * What a complete sync does with documents that its source no longer has. `refuse`: the source returned nothing
 * although documents are indexed, so it is treated as faulty. `hold`: the share exceeds `maxRatio`, so a person must
 * confirm.
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
