import { decideDeletions } from './sync-outcome.service.js';

describe('decideDeletions', () => {
  const decide = (unseen: number, total: number, maxRatio = 0.3) =>
    decideDeletions({ unseen, total }, total - unseen, maxRatio).kind;

  it('deletes up to the allowed share', () => {
    expect([decide(0, 10), decide(3, 10), decide(9, 10, 1), decide(0, 0)]).toEqual([
      'delete',
      'delete',
      'delete',
      'delete',
    ]);
  });

  it('holds deletions above it', () => {
    expect([decide(4, 10), decide(1, 10, 0)]).toEqual(['hold', 'hold']);
  });

  it('refuses if the source returned nothing', () => {
    expect([decide(10, 10), decide(1, 1, 1)]).toEqual(['refuse', 'refuse']);
  });
});
