import { type Principal, type Role, type Scope, scopesOf } from '@app/workspace';
import { requireScope } from './access.js';

function principal(role: Role, scopes: ReadonlySet<Scope> = scopesOf(role)): Principal {
  return {
    workspaceId: 'wsp_1',
    workspaceName: 'w',
    memberId: 'mem_1',
    email: 'ada@example.com',
    role,
    scopes,
    kind: 'live',
    key: { id: 'key_1', kind: 'live', name: 'ci' },
    session: null,
    limits: null,
  };
}

describe('a required scope', () => {
  it('is held by the role that has it', () => {
    expect(() => requireScope(principal('operator'), 'agents:run')).not.toThrow();
  });

  it('is named where it is missing, with the role that has it', () => {
    expect(() => requireScope(principal('viewer'), 'agents:write')).toThrow(
      expect.objectContaining({
        code: 'insufficient_scope',
        extensions: { required_scope: 'agents:write', required_role: 'builder' },
      }),
    );
  });

  it('that only admins have asks for an admin', () => {
    expect(() => requireScope(principal('builder'), 'workspace:stop')).toThrow(
      expect.objectContaining({ code: 'admin_required' }),
    );
  });

  it('is missing from a narrowed key whatever its role', () => {
    expect(() => requireScope(principal('admin', new Set<Scope>(['runs:read'])), 'workspace:stop')).toThrow(
      expect.objectContaining({ code: 'insufficient_scope' }),
    );
  });
});
