import type { RunEvent, TraceStep } from '../../../../packages/sdk/src/index.js';

/** Returns position, status, type, tool, path in the plan and duration of a step. */
export function stepLine(step: TraceStep): string {
  const { n, type, status } = step;
  const { path, tool, duration_ms: millis } = step as { path?: unknown; tool?: unknown; duration_ms?: unknown };
  const names = [tool, path].filter((each) => typeof each === 'string');
  const time = typeof millis === 'number' ? `  ${millis} ms` : '';
  return `${String(n).padStart(4)}  ${status.padEnd(17)}  ${[type, ...names].join(' ')}${time}`;
}

/** Returns the line for an event. Returns undefined for the events `end` and `text`, which are not printed. */
export function eventLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'step':
      return stepLine(event.data);
    case 'status':
      return `run ${event.data.status}`;
    case 'end':
    case 'text':
      return undefined;
  }
}
