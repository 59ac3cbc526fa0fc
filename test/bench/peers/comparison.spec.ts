import type { Figure } from '../figures.js';
import { compare, comparisonTable } from './comparison.js';

const figure = (scenario: string, name: string, ...values: number[]): Figure => ({
  scenario,
  queue: null,
  name,
  unit: 'runs/s',
  values,
});

describe('a comparison with peers', () => {
  const figures = [
    figure('ours', 'finished', 600, 300, 700),
    figure('a', 'finished', 100, 60, 100),
    figure('b', 'finished', 300, 200, 250),
    figure('ours', 'latency', 5, 6, 30),
    figure('a', 'latency', 10, 10, 10),
    figure('b', 'latency', 20, 20, 20),
  ];

  it('divides round by round and takes the median of the ratios', () => {
    const [comparison] = compare(figures, 'ours', [{ figure: 'finished', of: ['a'], atLeast: 6 }]);
    expect(comparison).toMatchObject({ peer: 'a', median: 6, min: 5, max: 7, reached: true });
  });

  it('takes the better of several peers: the larger figure where more is better, the smaller where less is', () => {
    const targets = [
      { figure: 'finished', of: ['a', 'b'], atLeast: 2.5 },
      { figure: 'latency', of: ['b', 'a'], atMost: 0.5 },
    ];
    expect(compare(figures, 'ours', targets)).toMatchObject([
      { peer: 'b', median: 2, reached: false },
      { peer: 'a', median: 0.6, reached: false },
    ]);
  });

  it('leaves out what was not measured on both sides', () => {
    const targets = [
      { figure: 'finished', of: ['absent'], atLeast: 1 },
      { figure: 'memory', of: ['a'], atMost: 1 },
    ];
    expect(compare(figures, 'ours', targets)).toEqual([]);
  });

  it('says in the table what was to be reached and whether it was', () => {
    const comparisons = compare(figures, 'ours', [
      { figure: 'finished', of: ['a'], atLeast: 6 },
      { figure: 'latency', of: ['a'], atMost: 0.5 },
    ]);
    expect(comparisonTable(comparisons).split('\n')).toEqual([
      'of this service  of that of  median  range    target         reached',
      '---------------  ----------  ------  -------  -------------  -------',
      'finished         a           6 ×     5 – 7    at least 6 ×   yes',
      'latency          a           0.6 ×   0.5 – 3  at most 0.5 ×  no',
    ]);
  });
});
