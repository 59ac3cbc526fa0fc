export const ROLES = ['viewer', 'operator', 'builder', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function weakerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b;
}

export const SCOPES = [
  'agents:read',
  'runs:read',
  'approvals:read',
  'approvals:decide',
  'knowledge:read',
  'connections:read',
  'files:read',
  'agents:run',
  'runs:cancel',
  'files:write',
  'agents:write',
  'agents:promote',
  'knowledge:write',
  'knowledge:grant',
  'webhooks:manage',
  'secrets:write',
  'connections:write',
  'runs:reveal',
  'keys:manage',
  'members:manage',
  'audit:read',
  'workspace:stop',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Every role has `approvals:decide`, because membership in a group, not the role, makes a member an approver. */
const ADDED_BY_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: [
    'agents:read',
    'runs:read',
    'approvals:read',
    'approvals:decide',
    'knowledge:read',
    'connections:read',
    'files:read',
  ],
  operator: ['agents:run', 'runs:cancel', 'files:write'],
  builder: [
    'agents:write',
    'agents:promote',
    'knowledge:write',
    'knowledge:grant',
    'webhooks:manage',
    'secrets:write',
    'connections:write',
  ],
  admin: ['runs:reveal', 'keys:manage', 'members:manage', 'audit:read', 'workspace:stop'],
};

export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(ROLES.slice(0, ROLES.indexOf(role) + 1).flatMap((each) => ADDED_BY_ROLE[each]));
}

/** Ignores names in `narrowedTo` that are not scopes of the role. */
export function grantedScopes(role: Role, narrowedTo: readonly string[] | null): ReadonlySet<Scope> {
  const ofRole = scopesOf(role);
  if (narrowedTo === null) return ofRole;
  const chosen = new Set(narrowedTo);
  return new Set([...ofRole].filter((scope) => chosen.has(scope)));
}
