import { decideDeletions } from './deletion-guard.js';

describe('documents that a source has no more', () => {
  const decide = (unseen: number, total: number, maxRatio = 0.3) =>
    decideDeletions({ unseen, total }, total - unseen, maxRatio).kind;

  it('are deleted up to the share that is allowed', () => {
    expect([decide(0, 10), decide(3, 10), decide(9, 10, 1), decide(0, 0)]).toEqual([
      'delete',
      'delete',
      'delete',
      'delete',
    ]);
  });

  it('are held beyond it', () => {
    expect([decide(4, 10), decide(1, 10, 0)]).toEqual(['hold', 'hold']);
  });

  it('stay where the source gave nothing at all', () => {
    expect([decide(10, 10), decide(1, 1, 1)]).toEqual(['refuse', 'refuse']);
  });
});
