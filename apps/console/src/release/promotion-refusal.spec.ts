import type { AgentVersion } from '../data/api.js';
import { promotionRefusal, releaseName } from './promotion-refusal.js';

type Status = NonNullable<AgentVersion['evaluation']>['status'];

const version = (status: Status | null, definition: object = { evaluation: { gate: {} } }): AgentVersion => ({
  agent: 'agt_1',
  version: 2,
  created_at: '2026-01-31T08:00:00.000Z',
  created_by: 'ada@example.com',
  definition_hash: '',
  project: null,
  is_production: false,
  evaluation: status === null ? null : { id: 'evl_1', status },
  definition: definition as AgentVersion['definition'],
});

describe('the promotion of a version', () => {
  it.each([null, 'queued', 'running', 'failed', 'inconclusive', 'errored'] as const)(
    'is refused by a gate while the evaluation is %s',
    (status) => expect(promotionRefusal(version(status), false)).not.toBeNull(),
  );

  it('is allowed without a gate, after a passed evaluation, and back to a version that was in production', () => {
    expect(promotionRefusal(version(null, {}), false)).toBeNull();
    expect(promotionRefusal(version('passed'), false)).toBeNull();
    expect(promotionRefusal(version('failed'), true)).toBeNull();
  });
});

describe('the name of a release', () => {
  it('says whether the version is older than the version in production', () => {
    expect(releaseName({ production_version: 2 }, 3)).toBe('Promote version 3');
    expect(releaseName({ production_version: 2 }, 1)).toBe('Roll back to version 1');
  });
});
