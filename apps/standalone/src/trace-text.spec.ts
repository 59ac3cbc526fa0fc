import { traceText } from './trace-text.js';

describe('the text of a trace', () => {
  it('has one line per step with type, status, duration and what tells most', () => {
    const text = traceText([
      { n: 1, type: 'trigger', status: 'succeeded', data: { type: 'api' } },
      {
        n: 2,
        type: 'tool_call',
        status: 'succeeded',
        duration_ms: 12,
        tool: 'orders.get',
        scope: 'read',
        response_summary: '200',
      },
      { n: 3, type: 'output', output: { ok: true } },
    ]);
    expect(text.split('\n')).toEqual([
      '   1  trigger    succeeded            {"type":"api"}',
      '   2  tool_call  succeeded     12 ms  orders.get  read  200',
      '   3  output                          {"ok":true}',
    ]);
  });

  it('keeps a long or broken text on one line of bounded length', () => {
    const text = traceText([{ n: 1, type: 'error', message: `first\nsecond ${'x'.repeat(500)}` }]);
    expect(text).toContain('first second');
    expect(text.split('\n')).toHaveLength(1);
    expect(text.length).toBeLessThan(140);
  });

  it('is empty for a run without steps', () => {
    expect(traceText([])).toBe('');
  });
});
