import { judgeEvictionPolicy } from './redis-status.js';

describe('the eviction policy of Redis', () => {
  it('is ok when Redis never evicts keys', () => {
    expect(judgeEvictionPolicy('noeviction')).toEqual({ ok: true });
  });

  it('is not ok when Redis could evict waiting jobs', () => {
    expect(judgeEvictionPolicy('allkeys-lru')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('noeviction'),
    });
  });

  it('is a warning when it cannot be read', () => {
    expect(judgeEvictionPolicy(undefined)).toMatchObject({ ok: true, warning: expect.any(String) });
  });
});
