import { judgeEvictionPolicy } from './redis-status.js';

describe('the eviction policy of Redis', () => {
  it('is fine when nothing is ever evicted', () => {
    expect(judgeEvictionPolicy('noeviction')).toEqual({ ok: true });
  });

  it('is refused when waiting rings could be evicted', () => {
    expect(judgeEvictionPolicy('allkeys-lru')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('noeviction'),
    });
  });

  it('is a warning when the service hides it', () => {
    expect(judgeEvictionPolicy(undefined)).toMatchObject({ ok: true, warning: expect.any(String) });
  });
});
