import { ManualClock } from '../../../kernel/src/testing/manual-clock.js';
import { ActiveRunsService } from './active-runs.service.js';

describe('active runs', () => {
  const begin = (
    runs: ActiveRunsService,
    id: string,
    workspaceId: string,
  ): { signal: AbortSignal; end: () => void } => {
    const held: { signal?: AbortSignal; end?: () => void } = {};
    void runs.trackRun({ id, workspaceId, attempt: 1 }, 60_000, (signal) => {
      held.signal = signal;
      return new Promise((resolve) => (held.end = resolve));
    });
    if (!held.signal || !held.end) throw new Error('The work did not begin at once.');
    return { signal: held.signal, end: held.end };
  };

  it('of one workspace are aborted without those of another', () => {
    const runs = new ActiveRunsService(new ManualClock());
    const mine = [begin(runs, 'run_1', 'wsp_1'), begin(runs, 'run_2', 'wsp_1')];
    const other = begin(runs, 'run_3', 'wsp_2');
    for (const id of runs.idsOfWorkspace('wsp_1')) runs.abort(id, 'stopped');
    expect(mine.map(({ signal }) => signal.reason as unknown)).toEqual(['stopped', 'stopped']);
    expect(other.signal.aborted).toBe(false);
  });

  it('keep the first reason for which they were broken off', () => {
    const runs = new ActiveRunsService(new ManualClock());
    const { signal } = begin(runs, 'run_1', 'wsp_1');
    runs.abort('run_1', 'cancelled');
    runs.abort('run_1', 'stopped');
    expect(signal.reason).toBe('cancelled');
  });
});
