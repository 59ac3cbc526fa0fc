import { decideFire, type DueSchedule } from './fire-decision.js';

const at = (text: string): Date => new Date(`2026-03-02T${text}:00Z`);

const due = (overrides: Partial<DueSchedule> = {}): DueSchedule => ({
  workspaceId: 'wsp',
  agentId: 'agt',
  triggerId: 'hourly',
  cron: '0 * * * *',
  timezone: 'UTC',
  catchUp: 'none',
  fireAt: at('10:00'),
  activeSince: at('00:00'),
  generation: '',
  now: at('10:00'),
  ...overrides,
});

describe('a schedule that is due', () => {
  it('fires for its time, and next for the one after', () => {
    expect(decideFire(due())).toEqual({ kind: 'fire', at: at('10:00'), next: at('11:00') });
    expect(decideFire(due({ now: at('10:04') }))).toEqual({ kind: 'fire', at: at('10:00'), next: at('11:00') });
  });

  it('is planned where its time has not been worked out', () => {
    const fresh = { fireAt: null, activeSince: at('09:30') };
    expect(decideFire(due({ ...fresh, now: at('09:31') }))).toEqual({ kind: 'plan', missed: null, next: at('10:00') });
    // The schedule was created just before the full hour, and the decision is made just after the full hour.
    expect(decideFire(due({ ...fresh, now: at('10:01') }))).toEqual({
      kind: 'fire',
      at: at('10:00'),
      next: at('11:00'),
    });
  });

  it('that no worker fired in time is caught up with only if `catch_up` says so, and only once', () => {
    const late = { now: at('13:30') };
    expect(decideFire(due(late))).toEqual({ kind: 'plan', missed: at('13:00'), next: at('14:00') });
    expect(decideFire(due({ ...late, catchUp: 'last' }))).toEqual({ kind: 'fire', at: at('13:00'), next: at('14:00') });
    expect(decideFire(due({ now: at('13:01') }))).toEqual({ kind: 'fire', at: at('13:00'), next: at('14:00') });
  });

  it('that was paused or stopped at its fire time has missed it, even if that was seconds ago', () => {
    const resumed = { activeSince: at('10:01'), now: at('10:01') };
    expect(decideFire(due(resumed))).toEqual({ kind: 'plan', missed: at('10:00'), next: at('11:00') });
    expect(decideFire(due({ ...resumed, catchUp: 'last' }))).toMatchObject({ kind: 'fire', at: at('10:00') });
  });

  it('may have no next time', () => {
    expect(decideFire(due({ cron: '0 0 30 2 *', fireAt: null }))).toEqual({ kind: 'plan', missed: null, next: null });
  });
});
