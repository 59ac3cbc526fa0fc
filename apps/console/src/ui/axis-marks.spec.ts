import { axisMarks } from './axis-marks.js';

describe('the marks of an axis', () => {
  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [47, [0, 20, 40, 60]],
    [0.8, [0, 0.2, 0.4, 0.6, 0.8]],
  ])('reach %s at round numbers', (most, marks) => {
    expect(axisMarks(most)).toEqual(marks);
  });

  it('count runs in whole numbers', () => {
    expect(axisMarks(2, 1)).toEqual([0, 1, 2]);
  });
});
