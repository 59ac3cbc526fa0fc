import { robotsTag } from './robots-rules.js';

describe('robotsTag', () => {
  it('returns the rules of X-Robots-Tag for all robots and for this one', () => {
    expect(robotsTag('NoIndex, nofollow')).toEqual(['noindex', 'nofollow']);
    expect(robotsTag('agent-automation-service: none')).toEqual(['none']);
    expect(robotsTag('otherbot: noindex, nofollow')).toEqual([]);
    expect(robotsTag('otherbot: noindex, agent-automation-service: nofollow')).toEqual(['nofollow']);
    expect(robotsTag('unavailable_after: Sunday, noindex, max-snippet: 5')).toEqual(['noindex']);
    expect([robotsTag(), robotsTag(' , ')]).toEqual([[], []]);
  });
});
