import type { TraceStep } from '../data/api.js';
import { TraceStore } from './trace-store.js';

const step = (n: number, status: string, more: object = {}): TraceStep =>
  ({ n, status, type: 'tool_call', id: `run_1.${n}`, path: `s${n}`, ...more }) as TraceStep;

describe('the trace of an open page', () => {
  it('keeps each step once, in its place, in its latest state', () => {
    const store = new TraceStore((work) => work());
    store.put([step(1, 'succeeded'), step(2, 'running', { request: { a: 1 } })]);
    store.put([step(2, 'succeeded')]);
    store.put([step(2, 'succeeded'), step(3, 'running')]);
    expect(store.steps.map(({ n, status }) => [n, status])).toEqual([
      [1, 'succeeded'],
      [2, 'succeeded'],
      [3, 'running'],
    ]);
    expect(store.steps[1]).toMatchObject({ request: { a: 1 } });
  });

  it('knows after which step it has to be continued', () => {
    const store = new TraceStore((work) => work());
    expect(store.settledUntil()).toBe(0);
    store.put([step(1, 'succeeded'), step(2, 'open'), step(3, 'succeeded')]);
    expect(store.settledUntil()).toBe(1);
    store.put([step(2, 'approved'), step(5, 'succeeded')]);
    expect(store.settledUntil()).toBe(3);
  });

  it('reports many changes once', () => {
    const due: (() => void)[] = [];
    const store = new TraceStore((work) => due.push(work));
    const heard: number[] = [];
    store.subscribe(() => heard.push(store.getVersion()));
    for (let n = 1; n <= 100; n++) store.put([step(n, 'succeeded')]);
    expect(due).toHaveLength(1);
    due.forEach((work) => work());
    expect(heard).toEqual([1]);
  });

  it('shows the text of a model until its step has ended', () => {
    const store = new TraceStore((work) => work());
    store.addText('turn[1]', 'Your ');
    store.addText('turn[1]', 'refund');
    expect(store.texts.get('turn[1]')).toBe('Your refund');
    store.put([step(1, 'succeeded', { path: 'turn[1]' })]);
    expect(store.texts.size).toBe(0);
    store.addText('turn[2]', 'Again');
    store.end();
    expect(store.texts.size).toBe(0);
  });
});
