export interface TraceStep {
  n: number;
  type: string;
  status?: string;
  duration_ms?: number | null;
  [field: string]: unknown;
}

/** The most informative fields come first. */
const SHOWN_FIELDS = [
  'tool',
  'policy',
  'query',
  'scope',
  'response_summary',
  'summary',
  'message',
  'reason',
  'data',
  'output',
];
const LONGEST = 100;

export function traceText(steps: readonly TraceStep[]): string {
  const typeWidth = Math.max(0, ...steps.map((step) => step.type.length));
  const statusWidth = Math.max(0, ...steps.map((step) => (step.status ?? '').length));
  return steps
    .map((step) => {
      const duration = typeof step.duration_ms === 'number' ? `${step.duration_ms} ms` : '';
      const columns = [
        String(step.n).padStart(4),
        step.type.padEnd(typeWidth),
        (step.status ?? '').padEnd(statusWidth),
        duration.padStart(8),
        detail(step),
      ];
      return columns.join('  ').trimEnd();
    })
    .join('\n');
}

function detail(step: TraceStep): string {
  const parts = SHOWN_FIELDS.map((field) => step[field]).filter(
    (value) => value !== undefined && value !== null && value !== '',
  );
  const text = parts.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('  ');
  const line = text.replaceAll(/\s*\n\s*/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
