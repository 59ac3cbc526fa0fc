/** See tiers.mjs. */
export const SECOND_TIER: Readonly<Record<'integration' | 'e2e' | 'browser' | 'faults', readonly string[]>>;
