import { actionStatuses, bulkBody, bulkFilter } from './bulk-order.js';

describe('a bulk action on chosen runs', () => {
  const options = { limit: 5, mode: 'test' } as const;

  it('names their ids, and a mode only for replays', () => {
    expect(bulkBody('cancel', { ids: ['run_1'] }, options)).toEqual({ action: 'cancel', ids: ['run_1'] });
    expect(bulkBody('replay', { ids: ['run_1'] }, options)).toEqual({ action: 'replay', mode: 'test', ids: ['run_1'] });
  });

  it('has a limit where the filters choose the runs', () => {
    expect(bulkBody('replay', { search: { status: 'failed' } }, options)).toEqual({
      action: 'replay',
      mode: 'test',
      limit: 5,
      filter: { status: ['failed'] },
    });
  });
});

describe('the filter of a bulk action', () => {
  it('has the filters of the address with the types of a body, without those of the page', () => {
    const search = {
      agent: 'agt_1',
      version: '3',
      label: 'a=b',
      id: 'run_1,run_2',
      since: '7d',
      order: 'asc',
      limit: '5',
    };
    expect(bulkFilter('replay', { ...search, status: 'failed' })).toEqual({
      agent: 'agt_1',
      version: 3,
      label: ['a=b'],
      id: ['run_1', 'run_2'],
      since: '7d',
      status: ['failed'],
    });
  });

  it('lets through only runs for which the action is possible', () => {
    expect(actionStatuses('cancel', {})).toEqual(['queued', 'running', 'waiting_approval']);
    expect(actionStatuses('replay', {})).toEqual(['succeeded', 'failed', 'handed_off', 'cancelled']);
    expect(actionStatuses('cancel', { status: ['failed', 'queued'] })).toEqual(['queued']);
    expect(actionStatuses('cancel', { status: 'failed' })).toEqual([]);
  });
});
