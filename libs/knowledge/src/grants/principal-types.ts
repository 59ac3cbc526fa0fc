/** Who or what a base can be granted to. */
export const PRINCIPAL_TYPES = ['user', 'group', 'channel', 'agent'] as const;
export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];
