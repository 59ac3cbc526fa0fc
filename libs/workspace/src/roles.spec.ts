import { grantedScopes, type Role, ROLES, type Scope, SCOPES, scopesOf, weakerRole } from './roles.js';

describe('roles', () => {
  it('allow everything that the weaker roles allow, and more', () => {
    for (const [index, role] of ROLES.entries()) {
      const weaker = ROLES[index - 1];
      if (!weaker) continue;
      expect([...scopesOf(role)]).toEqual(expect.arrayContaining([...scopesOf(weaker)]));
      expect(scopesOf(role).size).toBeGreaterThan(scopesOf(weaker).size);
    }
  });

  it('grant every scope to an admin', () => {
    expect([...scopesOf('admin')].sort()).toEqual([...SCOPES].sort());
  });

  it('know the scopes of the contract and no others', () => {
    const named = {
      agents: ['promote', 'read', 'run', 'write'],
      approvals: ['decide', 'read'],
      audit: ['read'],
      connections: ['read', 'write'],
      files: ['read', 'write'],
      keys: ['manage'],
      knowledge: ['grant', 'read', 'write'],
      members: ['manage'],
      runs: ['cancel', 'read', 'reveal'],
      secrets: ['write'],
      webhooks: ['manage'],
      workspace: ['stop'],
    };
    const all = Object.entries(named).flatMap(([of, does]) => does.map((what) => `${of}:${what}`));
    expect([...SCOPES].sort()).toEqual(all.sort());
  });

  it.each<[Scope, Role]>([
    ['runs:read', 'viewer'],
    ['agents:run', 'operator'],
    ['runs:cancel', 'operator'],
    ['approvals:decide', 'viewer'],
    ['agents:write', 'builder'],
    ['agents:promote', 'builder'],
    ['knowledge:write', 'builder'],
    ['webhooks:manage', 'builder'],
    ['secrets:write', 'builder'],
    ['connections:read', 'viewer'],
    ['files:read', 'viewer'],
    ['files:write', 'operator'],
    ['connections:write', 'builder'],
    ['keys:manage', 'admin'],
    ['members:manage', 'admin'],
    ['audit:read', 'admin'],
    ['workspace:stop', 'admin'],
  ])('%s begins with %s', (scope, first) => {
    expect(ROLES.filter((role) => scopesOf(role).has(scope))).toEqual(ROLES.slice(ROLES.indexOf(first)));
  });

  it.each<[Role, Role, Role]>([
    ['admin', 'viewer', 'viewer'],
    ['operator', 'builder', 'operator'],
    ['admin', 'admin', 'admin'],
  ])('of %s and %s the weaker is %s', (a, b, weaker) => {
    expect(weakerRole(a, b)).toBe(weaker);
    expect(weakerRole(b, a)).toBe(weaker);
  });
});

describe('a narrowed key', () => {
  it('keeps of its role what it was narrowed to, and gains nothing', () => {
    expect([...grantedScopes('viewer', ['runs:read', 'keys:manage', 'no:such'])]).toEqual(['runs:read']);
  });

  it('narrowed to nothing may do nothing', () => {
    expect(grantedScopes('admin', []).size).toBe(0);
  });

  it('is as wide as its role when it was not narrowed', () => {
    expect(grantedScopes('builder', null)).toEqual(scopesOf('builder'));
  });
});
