import type { Approval } from '../data/api.js';
import { policiesAbout } from './policy-decisions.js';
import type { AnyStep } from './step-facts.js';

const definition = {
  policies: [
    { name: 'big', when: 'request.amount > 10.0', action: 'require_approval' },
    { name: 'late', when: 'run.mode == "test"', action: 'require_approval' },
    { name: 'never', when: 'request.amount > 100.0', action: 'deny' },
  ],
};
const call = { n: 4, type: 'tool_call', path: 'turn[1].call[1]', status: 'succeeded' } as AnyStep;

const decided = (...args: Parameters<typeof policiesAbout>): string[] =>
  policiesAbout(...args).map(({ name, decision, hasDecided }) => `${name}${hasDecided ? '!' : ''} ${decision}`);

describe('the policies about a call', () => {
  it('are all of the version, also if none decided', () => {
    expect(decided(definition, call, [call], [])).toEqual([
      'big Did not ask for an approval.',
      'late Did not ask for an approval.',
      'never Did not deny the call.',
    ]);
    expect(policiesAbout({}, call, [call], [])).toEqual([]);
  });

  it('say why a call was denied, also if the default denied it', () => {
    const denied = { ...call, status: 'denied', policy: 'never', error: { message: 'Too much.' } } as AnyStep;
    expect(decided(definition, denied, [denied], []).at(-1)).toBe('never! Denied the call: Too much.');
    const byDefault = { ...denied, policy: 'policy_defaults.write' };
    expect(decided(definition, byDefault, [byDefault], []).at(-1)).toBe(
      'policy_defaults.write! Denied the call: Too much.',
    );
  });

  it('say who was asked, who decided, and which other policies asked too', () => {
    const asked = {
      ...{ n: 3, type: 'approval', path: 'turn[1].call[1]#approval', status: 'rejected', policy: 'big' },
      ...{ approval: 'apr_1', approvers: ['finance'], decided_by: ['bob@example.com'], comment: 'Not now.' },
    } as AnyStep;
    const approval = { id: 'apr_1', reason: 'request.amount > 10.0; also late: run.mode == "test"' } as Approval;
    const text = 'Asked finance for an approval: rejected by bob@example.com: Not now.';
    expect(decided(definition, call, [asked, call], [approval]).slice(0, 2)).toEqual([
      `big! ${text}`,
      `late! Asked too. ${text}`,
    ]);
  });
});
