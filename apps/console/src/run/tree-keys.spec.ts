import type { TraceStep } from '../data/api.js';
import { traceRows } from '../live/trace-rows.js';
import { treeMove } from './tree-keys.js';

const STEPS = ['order', 'loop[0].read', 'loop[0].write', 'loop[1].read', 'result'].map(
  (path, index) =>
    ({ n: index + 1, id: `run_1.${index + 1}`, type: 'tool_call', path, status: 'succeeded' }) as TraceStep,
);
// The rows are: 0 order, 1 loop, 2 [0], 3 read, 4 write, 5 read, 6 result.
const OPEN = traceRows(STEPS, new Set());
const CLOSED = traceRows(STEPS, new Set(['loop']));

describe('the keys of the tree', () => {
  it('go line by line, by ten lines, and to both ends', () => {
    expect(treeMove('ArrowDown', OPEN, 0)).toEqual({ to: 1 });
    expect(treeMove('ArrowUp', OPEN, 0)).toEqual({ to: 0 });
    expect(treeMove('PageDown', OPEN, 2)).toEqual({ to: 6 });
    expect(treeMove('Home', OPEN, 5)).toEqual({ to: 0 });
    expect(treeMove('End', OPEN, 0)).toEqual({ to: 6 });
  });

  it('open and close groups, and go into them and out of them', () => {
    expect(treeMove('ArrowRight', CLOSED, 1)).toEqual({ toggle: 'loop' });
    expect(treeMove('ArrowRight', OPEN, 1)).toEqual({ to: 2 });
    expect(treeMove('ArrowLeft', OPEN, 1)).toEqual({ toggle: 'loop' });
    expect(treeMove('ArrowLeft', OPEN, 4)).toEqual({ to: 2 });
    expect(treeMove('Enter', OPEN, 2)).toEqual({ toggle: 'loop.[0]' });
  });

  it('leave everything else to the browser', () => {
    expect(treeMove('Enter', OPEN, 0)).toBeUndefined();
    expect(treeMove('ArrowRight', OPEN, 0)).toBeUndefined();
    expect(treeMove('a', OPEN, 0)).toBeUndefined();
  });
});
