/** Weakest first. Every role may do what the ones before it may. */
export const ROLES = ['viewer', 'operator', 'builder', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The role of the two that may do less: a key never outranks the member it belongs to. */
export function weakerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b;
}
