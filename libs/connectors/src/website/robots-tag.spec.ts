import { robotsTag } from './robots-tag.js';

describe('what an answer asks of robots', () => {
  it('is what its X-Robots-Tag says, to all robots or to this one', () => {
    expect(robotsTag('NoIndex, nofollow')).toEqual(['noindex', 'nofollow']);
    expect(robotsTag('agent-automation-service: none')).toEqual(['none']);
    expect(robotsTag('otherbot: noindex, nofollow')).toEqual([]);
    expect(robotsTag('otherbot: noindex, agent-automation-service: nofollow')).toEqual(['nofollow']);
    expect(robotsTag('unavailable_after: Sunday, noindex, max-snippet: 5')).toEqual(['noindex']);
    expect([robotsTag(), robotsTag(' , ')]).toEqual([[], []]);
  });
});
