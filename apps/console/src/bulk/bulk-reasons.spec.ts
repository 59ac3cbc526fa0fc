import type { BulkResult } from './bulk-query.js';
import { reasonsOf, repeatableRuns } from './bulk-reasons.js';

const RESULTS: readonly BulkResult[] = [
  { run: 'run_1', status: 'failed', code: 'run_not_cancellable' },
  { run: 'run_2', status: 'failed', code: 'agent_paused' },
  { run: 'run_3', status: 'succeeded', replay: 'run_9' },
  { run: 'run_4', status: 'failed', code: 'agent_paused' },
  { run: 'run_5', status: 'pending' },
];

describe('the rejections of a bulk action', () => {
  it('are grouped by reason, the most frequent first', () => {
    expect(reasonsOf(RESULTS)).toEqual([
      ['agent_paused', 2],
      ['run_not_cancellable', 1],
    ]);
  });

  it('can be repeated unless the reason is final', () => {
    expect(repeatableRuns(RESULTS)).toEqual(['run_2', 'run_4']);
  });
});
