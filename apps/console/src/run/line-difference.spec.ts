import { lineDifference, type MarkedLine } from './line-difference.js';

const changed = (lines: MarkedLine[]): string[] => lines.filter(({ isChanged }) => isChanged).map(({ text }) => text);

describe('the difference of two texts', () => {
  it('marks the lines that the other text lacks', () => {
    const { before, after } = lineDifference('a\nb\nc', 'a\nx\nb\nc\nd');
    expect(changed(before)).toEqual([]);
    expect(changed(after)).toEqual(['x', 'd']);
    expect(after).toHaveLength(5);
  });

  it('marks both sides of a changed line', () => {
    const { before, after } = lineDifference('{\n  "amount": 20\n}', '{\n  "amount": 25\n}');
    expect([changed(before), changed(after)]).toEqual([['  "amount": 20'], ['  "amount": 25']]);
  });

  it('compares very long texts line by line', () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `line ${index}`);
    const { after } = lineDifference(lines.join('\n'), ['new', ...lines.slice(1)].join('\n'));
    expect(changed(after)).toEqual(['new']);
  });
});
