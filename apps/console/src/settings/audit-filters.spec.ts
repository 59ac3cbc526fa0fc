import { auditQuery, targetPath } from './audit-filters.js';

describe('the filters of the audit log', () => {
  it('are those of the address, unchanged', () => {
    expect(auditQuery({ action: 'agent.promote', actor: '', since: '7d', other: 'x' })).toEqual({
      action: 'agent.promote',
      since: '7d',
    });
  });
});

describe('the target of an audit event', () => {
  it.each([
    ['agent.promote', 'agt_1', '/agents/agt_1'],
    ['approval.approve', 'apr_1', '/approvals/apr_1'],
    ['webhook.create', 'whe_1', '/settings/webhooks/whe_1'],
    ['group.create', 'finance', '/settings/groups'],
    ['api_key.create', 'key_1', '/settings/keys'],
    ['source.sync', 'src_1', undefined],
    ['run.reveal', null, undefined],
  ])('of %s at %p is shown at %p', (action, target, path) => {
    expect(targetPath({ action, target })).toBe(path);
  });
});
