import { type Assertion, type AssertionKind, type Condition, ExpressionError, type Scope } from '@app/definition';
import { canonicalJson, fileValuesIn, formatMicros, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export type InterruptibleWork<Result> = Generator<void, Result, void>;

/**
 * Returns true in three cases:
 * - `value` is a list with an item equal to `part`.
 * - `value` and `part` are objects, and `value` has all fields of `part`.
 * - `part` is a string that occurs in the string `value`, or in the JSON of the object `value`.
 */
function contains(value: JsonValue, part: JsonValue): boolean {
  if (Array.isArray(value)) return value.some((item) => isEqual(item, part));
  if (isJsonObject(value) && isJsonObject(part))
    return Object.entries(part).every(
      ([name, member]) => Object.hasOwn(value, name) && isEqual(value[name] ?? null, member),
    );
  return typeof part === 'string' && (textOf(value)?.includes(part) ?? false);
}

function textOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : undefined;
}

/** The order of fields does not matter. */
function isEqual(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export interface GradedStep {
  readonly path: string;
  readonly type: string;
  readonly state: string;
  readonly tool: string | null;
  readonly scope: string | null;
  readonly request: JsonObject | null;
  readonly detail: JsonObject | null;
}

/**
 * An ended run with its trace. `status` is `waiting_approval` if the run ended at a step at which it would have waited
 * for an approval or a callback.
 */
export interface GradedRun {
  readonly id: string;
  readonly status: string;
  readonly input: JsonObject;
  readonly output: JsonValue;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly costMicros: bigint;
  readonly durationMs: number;
  readonly steps: readonly GradedStep[];
  readonly scope: Scope;
}

export type AssertionResult = {
  type: AssertionKind;
  result: 'passed' | 'failed' | 'inconclusive';
  message: string | null;
};

export type CallDifference = {
  kind: 'instead' | 'additional' | 'missing';
  path: string;
  recorded: { tool: string; request: JsonObject } | null;
  made: { tool: string; request: JsonObject } | null;
  message: string;
};

export type TrialGrade = {
  result: 'passed' | 'failed' | 'errored' | 'inconclusive';
  error: string | null;
  assertions: AssertionResult[];
  differences: CallDifference[];
};

export type JudgedAssertion = Extract<Assertion, { kind: 'similar' | 'llm_rubric' }>;

/**
 * Judgement of one assertion by the judge model. If the judge model returned no judgement, `score` is null and
 * `message` states the reason.
 */
export type Judgement = {
  assertion: number;
  score: number | null;
  message: string;
};

export function isJudged(assertion: Assertion): assertion is JudgedAssertion {
  return assertion.kind === 'similar' || assertion.kind === 'llm_rubric';
}

/** Error codes of failures that the installation caused, not the graded version. */
const NOT_ITS_FAULT = new Set([
  'internal_error',
  'worker_lost',
  'recording_failed',
  'queue_expired',
  'provider_error',
  'provider_rate_limited',
  'knowledge_unavailable',
  'connection_unavailable',
]);

/**
 * Grades a run by its assertions. The result depends only on the arguments.
 * @param judgements judgements of the judge model; null if the installation has no judge model
 */
export function* grading(
  assertions: readonly Assertion[],
  run: GradedRun,
  judgements: readonly Judgement[] | null = null,
): InterruptibleWork<TrialGrade> {
  const unfit = ungradable(run);
  if (unfit !== undefined) return errored(unfit);
  const results: AssertionResult[] = [];
  for (const [index, assertion] of assertions.entries()) {
    if (isJudged(assertion)) {
      results.push(judged(assertion, judgements, index));
      continue;
    }
    const message = yield* problemOf(assertion, run);
    results.push({ type: assertion.kind, result: message === null ? 'passed' : 'failed', message });
  }
  const result = (['failed', 'inconclusive'] as const).find((each) => results.some((one) => one.result === each));
  return { result: result ?? 'passed', error: null, assertions: results, differences: [] };
}

export function errored(error: string): TrialGrade {
  return { result: 'errored', error, assertions: [], differences: [] };
}

export function ungradable({ status, error }: GradedRun): string | undefined {
  if (status === 'cancelled') return 'The run was cancelled.';
  return error && NOT_ITS_FAULT.has(error.code) ? `The run failed (${error.code}): ${error.message}` : undefined;
}

/** If a call was attempted several times, returns the step of its last attempt. */
export function callsOf({ steps }: GradedRun): (GradedStep & { tool: string })[] {
  const byPath = new Map<string, GradedStep & { tool: string }>();
  for (const step of steps) {
    const { type, state, tool, path } = step;
    const wasMade =
      state !== 'denied' && state !== 'rejected' && state !== 'cancelled' && state !== 'awaiting_approval';
    if (type === 'tool_call' && tool !== null && wasMade && !path.includes('#')) byPath.set(path, { ...step, tool });
  }
  return [...byPath.values()];
}

/**
 * Returns the indexes of the assertions about which the judge model must be asked. The list is empty if the run cannot
 * pass, because it cannot be graded or another assertion fails.
 */
export function* questionsAbout(assertions: readonly Assertion[], run: GradedRun): InterruptibleWork<number[]> {
  if (ungradable(run) !== undefined) return [];
  for (const assertion of assertions) {
    if (!isJudged(assertion) && (yield* problemOf(assertion, run)) !== null) return [];
  }
  return assertions.flatMap((assertion, index) => (isJudged(assertion) ? [index] : []));
}

function judged(
  { kind: type, min }: JudgedAssertion,
  judgements: readonly Judgement[] | null,
  index: number,
): AssertionResult {
  const undecided = (message: string): AssertionResult => ({ type, result: 'inconclusive', message });
  if (!judgements)
    return undecided(
      `\`${type}\` needs a judge model. Ask the operator to set JUDGE_MODEL, or add \`model\` to the definition.`,
    );
  const found = judgements.find(({ assertion }) => assertion === index);
  if (!found) return undecided('The judge model was not asked, because another assertion failed.');
  if (found.score === null) return undecided(found.message);
  if (found.score >= min) return { type, result: 'passed', message: null };
  return {
    type,
    result: 'failed',
    message: `The score is ${found.score}, but at least ${min} is required. ${found.message}`.trim(),
  };
}

function* problemOf(assertion: DecidedAssertion, run: GradedRun): InterruptibleWork<string | null> {
  yield;
  try {
    if (assertion.kind === 'tool_called') return yield* problemOfCalls(assertion, run);
    return isAboutSteps(assertion) ? problemOfSteps(assertion, run) : problemOfValue(assertion, run);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return `The assertion cannot be evaluated: ${error.message}`;
  }
}

const ABOUT_STEPS = [
  'not_tool_called',
  'tool_order',
  'approval_requested',
  'denied',
  'cites',
  'file_shown',
  'steps',
] as const;
type StepAssertion = Extract<Assertion, { kind: (typeof ABOUT_STEPS)[number] }>;

type DecidedAssertion = Exclude<Assertion, JudgedAssertion>;
type CallAssertion = Extract<Assertion, { kind: 'tool_called' }>;

function isAboutSteps(assertion: Exclude<DecidedAssertion, CallAssertion>): assertion is StepAssertion {
  return ABOUT_STEPS.some((kind) => kind === assertion.kind);
}

function problemOfValue(
  assertion: Exclude<DecidedAssertion, StepAssertion | CallAssertion>,
  run: GradedRun,
): string | null {
  switch (assertion.kind) {
    case 'equals':
      return holds(
        isEqual(valueAt(assertion.path, run), assertion.value),
        () => `The value is ${shown(valueAt(assertion.path, run))}, not ${shown(assertion.value)}.`,
      );
    case 'contains':
      return holds(
        contains(valueAt(assertion.path, run), assertion.value),
        () => `${shown(valueAt(assertion.path, run))} does not contain ${shown(assertion.value)}.`,
      );
    case 'regex': {
      const value = valueAt(assertion.path, run);
      const text = textOf(value);
      return holds(
        text !== undefined && assertion.matches(text),
        () => `${shown(value)} does not match ${assertion.pattern}.`,
      );
    }
    case 'json_schema': {
      const [problem] = assertion.schema.validate(valueAt(assertion.path, run));
      return problem
        ? `The value does not match the schema at ${problem.pointer || 'its root'}: ${problem.detail}`
        : null;
    }
    case 'cel':
      return problemOfCondition(assertion.condition, scopeOf(run));
    case 'status':
      return holds(
        run.status === assertion.status,
        () => `The run ended as ${run.status}, not as ${assertion.status}.${run.error ? ` ${run.error.message}` : ''}`,
      );
    case 'cost':
      return holds(
        run.costMicros <= assertion.maxMicros,
        () =>
          `The run cost ${formatMicros(run.costMicros)}, but at most ${formatMicros(assertion.maxMicros)} is allowed.`,
      );
    case 'latency':
      return holds(
        run.durationMs <= assertion.maxMs,
        () => `The run took ${run.durationMs} ms, but at most ${assertion.maxMs} ms is allowed.`,
      );
  }
}

function problemOfCondition(condition: Condition, scope: Scope): string | null {
  if (condition.evaluate(scope)) return null;
  const values = condition.readValues(scope).map(({ path, value }) => `\`${path}\` is ${shown(value)}`);
  const more = values.splice(SHOWN_VALUES).length > 0 ? ' …' : '';
  return `\`${condition.source}\` is false.${values.map((value) => ` ${value}.`).join('')}${more}`;
}

function problemOfSteps(assertion: StepAssertion, run: GradedRun): string | null {
  switch (assertion.kind) {
    case 'not_tool_called':
      return holds(
        !callsOf(run).some(({ tool }) => tool === assertion.operation),
        () => `${assertion.operation} was called, but must not be called.`,
      );
    case 'tool_order': {
      const called = callsOf(run).map(({ tool }) => tool);
      const inOrder = called.reduce((next, tool) => (tool === assertion.operations[next] ? next + 1 : next), 0);
      return holds(
        inOrder === assertion.operations.length,
        () => `The calls were not made in the expected order. Calls: ${called.join(', ') || 'none'}.`,
      );
    }
    case 'approval_requested': {
      const asked = run.steps
        .filter(({ type }) => type === 'approval')
        .flatMap(({ detail }) => [detail?.policy, detail?.rule]);
      const found = assertion.name === null ? asked.length > 0 : asked.includes(assertion.name);
      return holds(
        found,
        () => `No approval was requested${assertion.name === null ? '' : ` because of ${assertion.name}`}.`,
      );
    }
    case 'denied': {
      const denied = run.steps.filter(({ type, state }) => type === 'tool_call' && state === 'denied');
      const names = denied.flatMap(({ tool, detail }) => [tool, detail?.policy]);
      const found = assertion.name === null ? denied.length > 0 : names.includes(assertion.name);
      return holds(
        found,
        () =>
          `No call was denied${assertion.name === null ? '' : ` by the policy or for the operation ${assertion.name}`}.`,
      );
    }
    case 'cites':
      return holds(
        cites(run, assertion.value),
        () =>
          `The answer cites no document${assertion.value === null ? '' : ` that contains ${shown(assertion.value)}`}.`,
      );
    case 'file_shown':
      return problemOfFiles(assertion.member, run);
    case 'steps':
      return holds(
        run.steps.length <= assertion.max,
        () => `The run took ${run.steps.length} steps, but at most ${assertion.max} are allowed.`,
      );
  }
}

function* problemOfCalls(assertion: CallAssertion, run: GradedRun): InterruptibleWork<string | null> {
  const { operation, with: condition, times } = assertion;
  let fitting = 0;
  for (const { tool, request } of callsOf(run)) {
    if (tool !== operation) continue;
    if (!condition || condition.evaluate({ ...scopeOf(run), request })) fitting += 1;
    yield;
  }
  if (times === null ? fitting > 0 : fitting === times) return null;
  const suffix = condition ? ` with \`${condition.source}\`` : '';
  const wanted = times === null ? '' : `, not ${times} times`;
  const requests = condition ? requestsOf(run, operation) : '';
  return `${operation} was called ${fitting} times${suffix}${wanted}.${requests}`;
}

function requestsOf(run: GradedRun, operation: string): string {
  const requests = callsOf(run).flatMap(({ tool, request }) => (tool === operation ? [shown(request)] : []));
  if (requests.length === 0) return '';
  const more = requests.splice(SHOWN_VALUES).length > 0 ? ', …' : '';
  return ` Requests of ${operation}: ${requests.join(', ')}${more}.`;
}

/** A file counts as shown if one answered request showed it. */
function problemOfFiles(member: string, { input, steps }: GradedRun): string | null {
  const ids = new Set(fileValuesIn(input[member] ?? null).map(({ id }) => id));
  if (ids.size === 0) return `The member ${member} of the input has no file.`;
  const asked = steps.filter(({ type, state }) => type === 'model_call' && state === 'succeeded');
  const seen = asked.flatMap(({ detail }) => (Array.isArray(detail?.files) ? detail.files.filter(isJsonObject) : []));
  for (const id of ids) {
    const ofFile = seen.filter(({ file }) => file === id);
    if (ofFile.some(({ shown: as }) => as !== 'no')) continue;
    const reasons =
      [...new Set(ofFile.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : [])))].join(', ') ||
      'no model was asked about it';
    return `The model did not see the file ${id} in ${member} (${reasons}).`;
  }
  return null;
}

function cites({ output, steps }: GradedRun, value: string | null): boolean {
  const lists = [output, ...steps.map(({ detail }) => detail)].map((each) =>
    isJsonObject(each) ? each.citations : undefined,
  );
  const citations = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  if (value === null) return citations.length > 0;
  return citations.some((citation) => texts(citation).some((text) => text.includes(value)));
}

function texts(citation: JsonValue): string[] {
  if (typeof citation === 'string') return [citation];
  if (!isJsonObject(citation)) return [];
  const document = isJsonObject(citation.document) ? citation.document : citation;
  return [document.title, document.url].filter((text) => typeof text === 'string');
}

function scopeOf({ id, status, input, output, error, costMicros, durationMs, steps, scope }: GradedRun): Scope {
  const run = { id, status, error, cost: formatMicros(costMicros), duration_ms: durationMs, steps: steps.length };
  return { ...scope, output, input, run };
}

/** If `path` is null, returns the whole output. */
export function valueAt(path: { evaluate(scope: Scope): JsonValue } | null, run: GradedRun): JsonValue {
  return path ? path.evaluate(scopeOf(run)) : run.output;
}

function holds(condition: boolean, message: () => string): string | null {
  return condition ? null : message();
}

const MAX_SHOWN = 200;
/** Maximum number of values that the message about a false condition shows. */
const SHOWN_VALUES = 5;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}
