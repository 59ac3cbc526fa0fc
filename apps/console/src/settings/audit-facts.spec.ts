import { actionWords, auditFacts, factText, targetName, withNames } from './audit-facts.js';

const KB = `kb_${'0'.repeat(26)}`;
const AGENT = `agt_${'1'.repeat(26)}`;
const SOURCE = `src_${'3'.repeat(26)}`;
const names = new Map([
  [AGENT, 'refund-desk'],
  [SOURCE, 'Website · https://a.example'],
]);
const event = { id: 'evt_1', actor: 'ada@example.com', created_at: '2026-01-31T08:00:00.000Z' };

describe('the target of an audit event', () => {
  it.each([
    ['key_1', 'api_key.create', { name: 'CI', kind: 'live' }, 'CI'],
    ['whe_1', 'webhook.create', { url: 'https://a.example', events: [] }, 'https://a.example'],
    [AGENT, 'agent.create', { name: 'before-it-was-renamed' }, 'refund-desk'],
    ['whe_1', 'webhook.test', {}, 'whe_1'],
    [`run_${'2'.repeat(26)}`, 'run.reveal', { shown: 1 }, 'run_…2222'],
    ['fil_1', 'file.delete', { filename: 'terms.pdf', bytes: 3 }, 'terms.pdf'],
    [SOURCE, 'source.sync', {}, 'Website · https://a.example'],
    [SOURCE, 'document.push', { name: 'terms.pdf' }, 'terms.pdf'],
    ['syn_1', 'sync.cancel', { source: SOURCE }, 'Website · https://a.example'],
    ['whd_1', 'webhook.retry', { endpoint: 'whe_1' }, 'whe_1'],
    ['ses_1', 'session.began', { method: 'key' }, null],
    ['ws_1', 'workspace.stop', {}, 'the workspace'],
  ])('%s of %s is called by its name', (target, action, detail, name) => {
    expect(targetName({ ...event, action, target, detail }, names)).toBe(name);
  });
});

describe('the words of an audit event', () => {
  it('tell a test run of a draft from the creation of an agent', () => {
    expect(actionWords({ action: 'agent.create', detail: { name: 'a', draft: true } })).toContain('test run');
    expect(actionWords({ action: 'agent.create', detail: { name: 'a' } })).toBe('created the agent');
    expect(actionWords({ action: 'moon.land', detail: {} })).toBe('moon.land');
  });
});

describe('the details of an audit event', () => {
  it('show who joined and left a group, and no hash', () => {
    const detail = { before: ['ada@example.com'], members: ['bob@example.com'], sha256: 'a0', moved: null };
    expect(auditFacts({ ...event, action: 'group.update', target: 'finance', detail }, names)).toEqual({
      changes: [
        { name: 'removed', before: 'ada@example.com', after: undefined },
        { name: 'added', before: undefined, after: 'bob@example.com' },
      ],
      others: [],
    });
  });

  it('show both production versions of a promotion', () => {
    const detail = { production_version: 1, previous_version: 2, evaluation: null };
    expect(auditFacts({ ...event, action: 'agent.promote', target: AGENT, detail }, names)).toEqual({
      changes: [{ name: 'production', before: 2, after: 1 }],
      others: [],
    });
  });

  it('do not repeat the name of the target', () => {
    const shown = auditFacts(
      { ...event, action: 'api_key.create', target: 'key_1', detail: { name: 'CI', kind: 'live' } },
      names,
    );
    expect(shown).toEqual({ changes: [], others: [['kind', 'live']] });
  });

  it('show what a change of the access added and removed', () => {
    const detail = { before: ['role builder', 'group care'], after: ['role builder', `agent ${AGENT}`] };
    const { changes } = auditFacts({ ...event, action: 'knowledge_base.access', target: KB, detail }, names);
    expect(changes).toEqual([
      { name: 'removed', before: 'group care', after: undefined },
      { name: 'added', before: undefined, after: `agent ${AGENT}` },
    ]);
    expect(withNames(`agent ${AGENT}`, names)).toBe('agent refund-desk');
  });

  it('show which values of a request an approver changed', () => {
    const detail = { tool: 'shop.refund', request: { id: '7', amount: 120 }, request_before: { id: '7', amount: 180 } };
    expect(auditFacts({ ...event, action: 'approval.edit', target: 'apr_1', detail }, names)).toEqual({
      changes: [{ name: 'amount', before: 180, after: 120 }],
      others: [],
    });
  });

  it('do not repeat the source of a sync', () => {
    const detail = { source: SOURCE, deleted: 3 };
    const { others } = auditFacts({ ...event, action: 'sync.confirm_deletions', target: 'syn_1', detail }, names);
    expect(others).toEqual([['deleted', 3]]);
  });

  it('are readable: lists without brackets, and ids as names or shortened', () => {
    expect(factText(['finance', 'legal'])).toBe('finance, legal');
    expect(factText({ agent: 'a' })).toBe('{"agent":"a"}');
    expect(withNames(`of ${SOURCE} and ${KB}`, names)).toBe('of Website · https://a.example and kb_…0000');
  });

  it('keep the earlier role of a member', () => {
    const detail = { email: 'bob@example.com', role: 'admin', before: 'viewer' };
    const { others } = auditFacts({ ...event, action: 'member.update', target: 'mem_1', detail }, names);
    expect(others).toEqual([
      ['role', 'admin'],
      ['before', 'viewer'],
    ]);
  });
});
