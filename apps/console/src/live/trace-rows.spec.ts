import type { TraceStep } from '../data/api.js';
import { failureStep, isFaulty, isInGroup, pathText, stepName, traceRows } from './trace-rows.js';

const steps = (...paths: (string | undefined)[]): TraceStep[] =>
  paths.map(
    (path, index) =>
      ({ n: index + 1, id: `run_1.${index + 1}`, type: 'tool_call', path, status: 'succeeded' }) as TraceStep,
  );

const lines = (all: readonly TraceStep[], ...closed: string[]): string[] =>
  traceRows(all, new Set(closed)).map(
    (row) =>
      `${'  '.repeat(row.depth)}${row.kind === 'group' ? `${row.label} (${row.count})` : (row.step.path ?? 'trigger')}`,
  );

const shown = (paths: (string | undefined)[], ...closed: string[]): string[] => lines(steps(...paths), ...closed);

describe('the tree of a trace', () => {
  it('puts the steps of a loop under the loop and its rounds', () => {
    expect(shown([undefined, 'order', 'loop[0].read', 'loop[0].write', 'loop[1].read', 'result'])).toEqual([
      'trigger',
      'order',
      'loop (3)',
      '  [0] (2)',
      '    loop[0].read',
      '    loop[0].write',
      '  loop[1].read',
      'result',
    ]);
  });

  it('knows which groups contain a step', () => {
    const all = steps('shelves[2].read', 'shelves[2].read', 'turn[1]', 'order');
    const groups = traceRows(all, new Set()).flatMap((row) => (row.kind === 'group' ? row.key : []));
    expect(groups).toEqual(['shelves', 'shelves.[2]', 'shelves.[2].read tries', 'Turn 1']);
    expect(groups.filter((key) => isInGroup(all[1]!, key))).toEqual(groups.slice(0, 3));
    expect(groups.filter((key) => isInGroup(all[2]!, key))).toEqual(['Turn 1']);
    expect(groups.filter((key) => isInGroup(all[3]!, key))).toEqual([]);
  });

  it('leaves out what is in a closed group, and still counts it', () => {
    expect(shown(['loop[0].read', 'loop[1].read', 'result'], 'loop')).toEqual(['loop (2)', 'result']);
    expect(shown(['loop[0].read', 'loop[0].write', 'loop[1].read'], 'loop.[0]')).toEqual([
      'loop (3)',
      '  [0] (2)',
      '  loop[1].read',
    ]);
  });

  it('has one line for each round, although rounds that run in parallel take turns', () => {
    expect(shown(['loop[0].read', 'loop[1].read', 'loop[0].write', 'loop[1].write'])).toEqual([
      'loop (4)',
      '  [0] (2)',
      '    loop[0].read',
      '    loop[0].write',
      '  [1] (2)',
      '    loop[1].read',
      '    loop[1].write',
    ]);
  });

  it('groups the tries of a step, with its retries and its approval', () => {
    const all = steps('refund#approval', 'refund', 'refund#retry', 'refund', 'result');
    const typed = all.map((step, at) => ({ ...step, type: ['approval', 'tool_call', 'retry'][at] ?? step.type }));
    expect(lines(typed as TraceStep[])).toEqual([
      'refund, 2 tries (4)',
      '  refund#approval',
      '  refund',
      '  refund#retry',
      '  refund',
      'result',
    ]);
  });

  it('puts the call of a model, its reasoning and the requested calls into one group for each turn', () => {
    const paths = ['turn[1]', 'turn[1].reasoning', 'turn[1].call[1]', 'turn[2]', 'output', 'triage.turn[1]'];
    expect(shown(paths)).toEqual([
      'Turn 1 (3)',
      '  turn[1]',
      '  turn[1].reasoning',
      '  turn[1].call[1]',
      'Turn 2 (1)',
      '  turn[2]',
      'output',
      'triage (1)',
      '  Turn 1 (1)',
      '    triage.turn[1]',
    ]);
  });

  it('counts the failed steps of a group', () => {
    const [first, ...rest] = steps('loop[0].read', 'loop[1].read');
    const rows = traceRows([{ ...first, status: 'failed' } as TraceStep, ...rest], new Set());
    expect(rows[0]).toMatchObject({ kind: 'group', count: 2, failed: 1 });
  });

  it('keeps the approval of a step beside the step', () => {
    const [approval, call] = steps('refund#approval', 'refund');
    expect(lines([{ ...approval, type: 'approval' } as TraceStep, call as TraceStep])).toEqual([
      'refund#approval',
      'refund',
    ]);
  });
});

describe('a step', () => {
  const [step] = steps('loop[0].first');

  it('is called by the tool or the type, and the id', () => {
    expect(stepName({ ...step, tool: 'svc.read' } as TraceStep)).toBe('svc.read first');
    expect(stepName({ ...step, type: 'approval', path: 'refund#approval' } as TraceStep)).toBe('approval refund');
    expect(stepName({ ...step, type: 'retry', tool: 'svc.read' } as TraceStep)).toBe('retry first');
    expect(stepName({ ...step, type: 'model_call', path: 'turn[1]' } as TraceStep)).toBe('model call turn 1');
    expect(stepName({ ...step, type: 'trigger', path: undefined } as TraceStep)).toBe('trigger');
    expect(stepName({ ...step, type: 'output', path: 'output' } as TraceStep)).toBe('output');
  });

  it.each([
    ['triage.turn[1].call[2]', 'triage, turn 1, call 2'],
    ['turn[12]', 'turn 12'],
    ['turn[1].call[1]#approval', 'turn 1, call 1#approval'],
    ['shelves[2].read', 'shelves[2].read'],
    ['return[1].read', 'return[1].read'],
  ])('names the place %s in words: %s', (path, text) => expect(pathText(path)).toBe(text));

  it('made the run fail if it is the last failed one of the id that the error names', () => {
    const [a, b, c] = steps('loop[0].read', 'loop[1].read', 'write').map((each) => ({ ...each, status: 'failed' }));
    const all = [a, b, c] as TraceStep[];
    expect(failureStep(all, 'read')).toBe(b);
    expect(failureStep(all, null)).toBe(c);
    expect(failureStep(steps('read'), 'read')).toBeUndefined();
  });

  it('is faulty if it failed, was denied, or has an unknown outcome', () => {
    const statuses = ['succeeded', 'running', 'failed', 'denied', 'in_doubt'];
    expect(statuses.filter((status) => isFaulty({ ...step, status } as TraceStep))).toEqual([
      'failed',
      'denied',
      'in_doubt',
    ]);
  });
});
