import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root.js';
import type { SeenEvent } from './event-reader.js';
import { type ApiDocument, OpenApiContract } from './openapi-contract.js';

interface Step {
  n: number;
  type: string;
  status: string;
  [further: string]: unknown;
}

/** Required fields of each step type, in addition to the fields that every step has. There are no other step types. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  trigger: ['data'],
  tool_call: ['path', 'tool', 'scope', 'request', 'response_summary'],
  code: ['path', 'request'],
  retrieval: ['path', 'knowledge_bases', 'query', 'passages', 'documents'],
  reasoning: ['summary'],
  approval: ['policy', 'approvers'],
  in_doubt: ['policy', 'approvers'],
  model_call: ['path'],
  output: [],
  error: ['code'],
  retry: ['step', 'reason'],
  hand_off: ['to'],
  cancelled: ['by', 'reason'],
  stopped: ['by', 'reason'],
  resumed: [],
  wait: ['until'],
  assertion: ['expression'],
};

const UNFINISHED = ['running', 'pending', 'awaiting_approval', 'waiting'];
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  tool_call: ['succeeded', 'failed', 'denied', 'simulated', 'in_doubt', 'cancelled', ...UNFINISHED],
  approval: ['open', 'approved', 'rejected', 'answered', 'expired', 'cancelled', 'simulated'],
  in_doubt: ['open', 'approved', 'rejected', 'expired', 'cancelled'],
};
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const DOCUMENT = join(REPOSITORY_ROOT, 'packages/sdk/openapi.json');
let known: OpenApiContract | undefined;

/** Returns the schemas of the document. They are read when a test needs them, because most tests read no trace. */
function contract(): OpenApiContract {
  if (known) return known;
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as ApiDocument;
  known = new OpenApiContract({ ...document, paths: {}, webhooks: {} });
  return known;
}

/**
 * Validates the value against the member of the union schema that its `type` selects, and returns the violations.
 * Fields that the document does not describe are violations.
 */
function variantViolations(union: string, value: { type: string }): string[] {
  const { discriminator } = contract().document.components.schemas[union] as { discriminator: { mapping: object } };
  const reference = new Map<string, string>(Object.entries(discriminator.mapping)).get(value.type);
  return reference === undefined
    ? [`${union} has no type ${value.type}`]
    : contract().schemaViolations(reference.split('/').at(-1) ?? '', value);
}

/** Validates an event of a run stream against the OpenAPI document, and returns the violations. */
export function runEventViolations({ event, id, data }: SeenEvent): string[] {
  const given = { type: event, ...(id !== '' && { id }), data: data as unknown };
  return [
    ...variantViolations('RunEvent', given),
    ...(event === 'step' ? variantViolations('TraceStep', data as Step) : []),
  ];
}

/** Returns the ways in which a trace violates the documented contract. Every test that reads a trace calls this. */
export function traceViolations({ run, steps }: { run: string; steps: readonly Step[] }): string[] {
  return steps.flatMap((step, index) => violationsOf(run, step, index + 1).map((said) => `step ${index + 1}: ${said}`));
}

function violationsOf(run: string, step: Step, n: number): string[] {
  const { type, status, duration_ms: duration } = step;
  const missing = (MEMBERS[type] ?? []).filter((name) => !(name in step)).map((name) => `${type} without ${name}`);
  const isOver = !['open', 'in_doubt', ...UNFINISHED].includes(status);
  const expected: [string, boolean][] = [
    [`there is no type ${type}`, type in MEMBERS],
    [`it is at position ${step.n}`, step.n === n],
    [`it is called ${String(step.id)}`, step.id === `${run}.${n}`],
    [`its time is ${String(step.at)}`, TIME.test(String(step.at))],
    [`a ${type} is ${status}`, (STATUSES[type] ?? [status]).includes(status)],
    [`${status} after ${String(duration)} ms`, isDuration(duration) || (duration === null && !isOver)],
  ];
  return [
    ...missing,
    ...variantViolations('TraceStep', step),
    ...expected.filter(([, holds]) => !holds).map(([said]) => said),
  ];
}

function isDuration(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
