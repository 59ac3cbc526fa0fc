import { ALL_SELECTED, chosenIds, NOTHING_SELECTED, toggleAll, toggleRun } from './selection.js';

const SHOWN = ['a', 'b', 'c', 'd'];

describe('the selection of runs', () => {
  it('gets and loses a run by the same action', () => {
    const one = toggleRun(NOTHING_SELECTED, 'b', SHOWN);
    expect([...one.ids]).toEqual(['b']);
    expect([...toggleRun(one, 'b', SHOWN).ids]).toEqual([]);
  });

  it('takes everything between two runs, in either direction', () => {
    const down = toggleRun(toggleRun(NOTHING_SELECTED, 'b', SHOWN), 'd', SHOWN, true);
    expect([...down.ids]).toEqual(['b', 'c', 'd']);
    const up = toggleRun(toggleRun(NOTHING_SELECTED, 'c', SHOWN), 'a', SHOWN, true);
    expect([...up.ids].sort()).toEqual(['a', 'b', 'c']);
  });

  it('takes one run if the range has no beginning', () => {
    expect([...toggleRun(NOTHING_SELECTED, 'c', SHOWN, true).ids]).toEqual(['c']);
  });

  it('takes all shown runs, and then none', () => {
    const all = toggleAll(toggleRun(NOTHING_SELECTED, 'b', SHOWN), SHOWN);
    expect([...all.ids]).toEqual(SHOWN);
    expect(toggleAll(all, SHOWN).ids.size).toBe(0);
  });

  it('is of the shown runs again once one of all that match is left out', () => {
    expect([...chosenIds(ALL_SELECTED, SHOWN)]).toEqual(SHOWN);
    const without = toggleRun(ALL_SELECTED, 'b', SHOWN);
    expect(without.isAll).toBeUndefined();
    expect([...without.ids]).toEqual(['a', 'c', 'd']);
    expect(toggleAll(ALL_SELECTED, SHOWN)).toEqual(NOTHING_SELECTED);
  });
});
