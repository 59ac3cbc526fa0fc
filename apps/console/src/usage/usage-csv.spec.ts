import { usageCsv } from './usage-csv.js';

const TOKENS = { input: 10, output: 5, cache_read: 8, cache_write: 0, reasoning: 0 };
const SUMS = { runs: 2, tokens: TOKENS, cost: { amount: '0.50', currency: 'EUR' } };
const PERIOD = { since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };

describe('the usage as CSV', () => {
  it('has a line for each group', () => {
    const data = [{ day: '2026-01-30', ...SUMS }];
    expect(usageCsv({ group_by: 'day', ...PERIOD, data })).toBe(
      'day,runs,input_tokens,output_tokens,cached_tokens,cost,currency,cost_is_partial\r\n2026-01-30,2,10,5,8,0.50,EUR,false\r\n',
    );
  });

  it.each([
    ['=1+1', `'=1+1`],
    ['@x', `'@x`],
    ['-2', `'-2`],
    ['a,b', '"a,b"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['two\nlines', '"two\nlines"'],
  ])('gives a spreadsheet no formula: %p', (name, cell) => {
    const data = [{ agent: 'agt_1', agent_name: name, ...SUMS }];
    expect(usageCsv({ group_by: 'agent', ...PERIOD, data })).toContain(`\r\nagt_1,${cell},2,`);
  });
});
