import { eachOnce, type Sync } from './source-sync.js';

const sync = (id: string, status: Sync['status']) => ({ id, status }) as Sync;

describe('the syncs of several pushed files', () => {
  it('are listed once, in their last state', () => {
    const syncs = [sync('syn_1', 'queued'), sync('syn_1', 'running'), sync('syn_2', 'queued')];
    expect(eachOnce(syncs)).toEqual([sync('syn_1', 'running'), sync('syn_2', 'queued')]);
  });
});
