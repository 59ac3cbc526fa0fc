/** The roles, weakest first. Each role also has the permissions of all weaker roles. */
export const ROLES = ['viewer', 'operator', 'builder', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function weakerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b;
}
