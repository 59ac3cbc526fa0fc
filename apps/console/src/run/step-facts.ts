import type { TraceStep } from '../data/api.js';
import { formatCount, formatDuration, formatInstant, formatMoney, formatShare } from '../ui/format-values.js';
import { pathText } from '../live/trace-rows.js';
import { type WordKind, word } from '../data/words.js';

/** A step of any type, with the fields of its own type. */
export type AnyStep = TraceStep & Record<string, unknown>;

/** Field labels, in the order in which the fields are shown. */
const LABELS: Readonly<Record<string, string>> = {
  path: 'Path',
  scope: 'Scope',
  effect: 'Effect',
  try: 'Try',
  http_status: 'HTTP status',
  smtp_status: 'SMTP status',
  policy: 'Policy',
  rule: 'Approval rule',
  approvers: 'Approvers',
  decision: 'Decision',
  decided_by: 'Decided by',
  comment: 'Comment',
  asked: 'A person was asked',
  reconciled: 'Outcome looked up',
  provider: 'Provider',
  model: 'Model',
  effort: 'Effort',
  reasoning_dropped: 'Reasoning dropped',
  finish_reason: 'Ended with',
  knowledge_bases: 'Knowledge bases',
  query: 'Query',
  mode: 'Search mode',
  passages: 'Passages',
  expression: 'Condition',
  to: 'Handed to',
  by: 'By',
  reason: 'Reason',
  code: 'Code',
  message: 'Message',
  step: 'Step',
};

/** Fields that `stepFacts` omits, because other parts of the inspector show them. */
const ELSEWHERE = new Set([
  ...['n', 'type', 'id', 'at', 'duration_ms', 'status', 'tool', 'error', 'warning', 'run', 'agent', 'approval'],
  ...['documents', 'citations', 'usage', 'cost', 'cost_partial', 'until', 'recorded', 'recorded_from'],
  ...['summary', 'request', 'warnings', 'files', 'response_summary', 'data', 'output', 'http', 'response'],
]);

/** Returns the labels and values of the fields that fit on one line. `stepValues` returns the longer fields. */
export function stepFacts(step: AnyStep): (readonly [label: string, value: string])[] {
  const known = Object.entries(LABELS).map(([name, label]) => [label, inWords(name, step)] as const);
  // A newer service may return fields that this console does not know. The name of such a field is used as its label.
  const unknown = Object.entries(step).filter(([name]) => !ELSEWHERE.has(name) && !(name in LABELS));
  return [...timeFacts(step), ...modelFacts(step), ...[...known, ...unknown].flatMap(plainFact)];
}

function timeFacts(step: AnyStep): (readonly [string, string])[] {
  const { at, duration_ms: duration, until } = step;
  return [
    ['Began', formatInstant(at)],
    ['Duration', duration === null ? 'in progress' : formatDuration(duration)],
    ...(typeof until === 'string' ? [['Waits until', formatInstant(until)] as const] : []),
    ...(step.recorded === true ? [['Result', 'Taken from the replayed run. The call was not repeated.'] as const] : []),
  ];
}

function modelFacts({
  type,
  usage,
  cost,
  cost_partial: isPartial,
  warnings: given,
  files,
}: AnyStep): (readonly [string, string])[] {
  if (type !== 'model_call') return [];
  const counts = (usage ?? {}) as Record<string, number | null | undefined>;
  const { cache_read_tokens: cached, reasoning_tokens: reasoning } = counts;
  const tokens = (name: string): string => (typeof counts[name] === 'number' ? formatCount(counts[name]) : '?');
  const share = cached ? ` (${formatShare(cached, counts.input_tokens ?? 0)} cached)` : '';
  const thought = reasoning ? ` (${formatCount(reasoning)} reasoning)` : '';
  const warnings = (given ?? []) as readonly { param: string; reason: string }[];
  return [
    ...(warnings.length > 0
      ? [['Warnings', warnings.map(({ param, reason }) => `${param}: ${reason}`).join('\n')] as const]
      : []),
    ...(Array.isArray(files) ? [['Files', (files as ShownFile[]).map(shownFile).join('\n')] as const] : []),
    ['Tokens', `${tokens('input_tokens')} in${share}, ${tokens('output_tokens')} out${thought}`],
    [
      'Cost',
      cost === null || cost === undefined
        ? 'unknown, because no price is configured for the model'
        : formatMoney({ ...cost, partial: isPartial === true }),
    ],
  ];
}

type ShownFile = { file: string; shown: string; reason?: string };

function shownFile({ file, shown, reason }: ShownFile): string {
  const why = reason === undefined ? '' : ` (${word('fileReason', reason)})`;
  return `${file}: ${word('fileShown', shown)}${why}`;
}

const WORDS_OF: Readonly<Record<string, WordKind>> = {
  scope: 'access',
  effect: 'effect',
  decision: 'decision',
  mode: 'searchMode',
  finish_reason: 'finish',
  code: 'error',
};

function inWords(name: string, step: AnyStep): unknown {
  const value = step[name];
  if (name === 'path') return pathText(step.path ?? '');
  const kind = name === 'reason' && step.type === 'retry' ? 'error' : WORDS_OF[name];
  return kind === undefined || typeof value !== 'string' ? value : word(kind, value);
}

function plainFact([label, value]: readonly [string, unknown]): (readonly [string, string])[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.length === 0 ? [] : [[label, value.join(', ')]];
  if (typeof value === 'boolean') return [[label, value ? 'yes' : 'no']];
  return [[label, typeof value === 'string' ? value : JSON.stringify(value)]];
}

/** Returns the labels and values of the fields that are shown as text or JSON. */
export function stepValues(step: AnyStep): (readonly [label: string, value: unknown])[] {
  const isModel = step.type === 'model_call';
  const values: readonly (readonly [string, unknown])[] = [
    [isModel ? 'Answer' : 'Summary', step.summary],
    ['Trigger', step.data],
    ['Request', step.request],
    // The response itself is a tree, and its beginning would repeat it.
    ['Response', step.response === undefined ? step.response_summary : undefined],
    ['Output', step.output],
  ];
  return values.filter(([, value]) => value !== undefined && value !== null && value !== '');
}
