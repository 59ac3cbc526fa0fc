/** See tiers.mjs. */
export function tierOf(path: string): 1 | 2 | undefined;
