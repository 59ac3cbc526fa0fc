import { stepOf } from './plan.js';

describe('the step that a recorded path belongs to', () => {
  it.each([
    ['pay', 'pay'],
    ['pay#approval', 'pay'],
    ['lines[3].pay', 'pay'],
    ['pages[7]', 'pages'],
    ['lines[3].pages[7]', 'pages'],
    ['turn[1]', null],
    ['turn[2].call[1]', null],
    ['turn[2].call[1]#approval', null],
    ['triage.turn[2].call[1]', 'triage'],
    ['lines[0].triage.turn[12]', 'triage'],
    ['turn[1].pay', 'pay'],
  ])('of %s is %s', (path, step) => {
    expect(stepOf(path)).toBe(step);
  });
});
