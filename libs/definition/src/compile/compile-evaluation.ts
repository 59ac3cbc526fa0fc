import { invariant, type JsonObject, type JsonValue, parseMicros } from '@app/kernel';
import {
  type Assertion,
  ASSERTION_KINDS,
  type CompiledEvaluation,
  EVALUATION_READS,
  type EvaluationCase,
  MOCKED_ERRORS,
  type MockedAnswer,
  type PromotionGate,
  type FixtureUse,
} from '../model/compiled-evaluation.js';
import { type Expression, regexProblem, safeRegex } from '@app/cel';
import { schemaValidator } from '@app/json-schema';
import type { CompileContext } from '../contract/compile-context.js';
import { fixturesIn } from '../model/fixtures.js';
import { type DefinitionNode } from '../contract/definition-node.js';

const DAY_MS = 86_400_000;

export function compileEvaluation(node: DefinitionNode | null, context: CompileContext): CompiledEvaluation | null {
  if (!node) return null;
  const fromRuns = node.optionalChild('from_runs');
  return {
    trials: node.numberOr('trials', 1),
    reads: node.choiceOr('reads', EVALUATION_READS, 'live'),
    cases: node.items('cases').map((one) => compileCase(one, context)),
    fromRuns: fromRuns && {
      status: fromRuns.optionalText('status') ?? 'succeeded',
      sample: fromRuns.numberOr('sample', 100),
      maxAgeMs: fromRuns.durationOr('max_age', 30 * DAY_MS),
    },
    gate: compileGate(node.optionalChild('gate')),
  };
}

function compileGate(node: DefinitionNode | null): PromotionGate | null {
  if (!node) return null;
  const minPassRate = node.numberOr('min_pass_rate', null);
  return {
    // No number of trials proves a rate of 1. A rate of 1 therefore has the same effect as no rate: every trial must
    // pass.
    minPassRate: minPassRate === 1 ? null : minPassRate,
    confidence: node.numberOr('confidence', 0.95),
    mustPassTags: node.optionalChild('must_pass')?.texts('tags') ?? [],
    maxRegressions: node.numberOr('max_regressions', null),
    maxCostIncrease: node.numberOr('max_cost_increase', null),
    maxLatencyIncrease: node.numberOr('max_latency_increase', null),
    maxAgeMs: node.durationOr('max_age', null),
  };
}

function compileCase(node: DefinitionNode, context: CompileContext): EvaluationCase {
  return {
    name: node.text('name'),
    tags: node.texts('tags'),
    input: node.child('input').value,
    mock: new Map(node.entries('mock').map(([name, value]): [string, JsonValue] => [name, value])),
    mockEach: new Map(node.entries('mock_each').map(([name]) => [name, mockedAnswers(node.child('mock_each'), name)])),
    state: node.optionalChild('state')?.value ?? {},
    ...(node.has('answers') && { answers: answersOf(node.child('answers')) }),
    fixtures: fixturesOf(node),
    assertions: node.items('assert').map((one) => compileAssertion(one, context)),
  };
}

function answersOf(node: DefinitionNode): Map<string, JsonObject> {
  return new Map(Object.keys(node.value).map((step) => [step, node.child(step).value]));
}

function fixturesOf(node: DefinitionNode): FixtureUse[] {
  const input = node.child('input');
  const answers = node.optionalChild('answers');
  const below = [input, ...Object.keys(answers?.value ?? {}).flatMap((step) => answers?.child(step) ?? [])];
  const outputs = [
    ...node.entries('mock').map(([, value, path]) => ({ value, path })),
    ...node.entries('mock_each').flatMap(([name]) =>
      node
        .child('mock_each')
        .items(name)
        .map((answer) => ({ value: answer.raw('output') ?? null, path: answer.pathOf('output') })),
    ),
  ];
  return [
    ...below.flatMap(({ value, path }) =>
      Object.entries(value).flatMap(([key, member]) => fixturesIn(member, [...path, key])),
    ),
    ...outputs.flatMap(({ value, path }) => fixturesIn(value, path)),
  ];
}

function mockedAnswers(node: DefinitionNode, operation: string): MockedAnswer[] {
  return node.items(operation).map((answer) => {
    const error = answer.optionalChild('error');
    if (!error) return { output: answer.raw('output') ?? null };
    const code = error.choice('code', MOCKED_ERRORS);
    return { error: { code, status: error.numberOr('status', undefined), body: error.raw('body') } };
  });
}

function compileAssertion(node: DefinitionNode, context: CompileContext): Assertion {
  const kind = node.choice('type', ASSERTION_KINDS);
  const value: JsonValue = node.raw('value') ?? null;
  switch (kind) {
    case 'equals':
    case 'contains':
      return { kind, path: pathOf(node, context), value };
    case 'regex':
      return compileRegex(node, context);
    case 'json_schema':
      return {
        kind,
        path: pathOf(node, context),
        schema: context.schema(value, node.pathOf('value')) ?? schemaValidator({}),
      };
    case 'cel':
      return { kind, condition: context.condition(node.text('value'), node.pathOf('value'), 'assertion') };
    case 'tool_called': {
      const condition = context.optionalCondition(node, 'with', 'assertionCall');
      return { kind, operation: node.text('value'), with: condition, times: node.numberOr('times', null) };
    }
    case 'not_tool_called':
      return { kind, operation: node.text('value') };
    case 'tool_order':
      return { kind, operations: node.texts('value') };
    case 'status':
      return { kind, status: node.text('value') };
    case 'approval_requested':
    case 'denied':
      return { kind, name: node.optionalText('value') };
    case 'cites':
      return { kind, value: node.optionalText('value') };
    case 'file_shown':
      return { kind, member: node.text('value') };
    case 'cost':
    case 'latency':
    case 'steps':
    case 'similar':
    case 'llm_rubric':
      return compileMeasure(kind, node, context);
  }
}

function compileMeasure(
  kind: 'cost' | 'latency' | 'steps' | 'similar' | 'llm_rubric',
  node: DefinitionNode,
  context: CompileContext,
): Assertion {
  const most = node.has('max') ? 'max' : 'value';
  switch (kind) {
    case 'cost': {
      const maxMicros = parseMicros(node.text(most));
      invariant(maxMicros !== undefined, 'a checked amount is an amount');
      return { kind, maxMicros };
    }
    case 'latency':
      return { kind, maxMs: node.durationOr(most, 0) };
    case 'steps':
      return { kind, max: node.number(most) };
    case 'similar':
      return { kind, path: pathOf(node, context), value: node.text('value'), min: node.numberOr('min', 0.8) };
    case 'llm_rubric':
      return { kind, rubric: node.text('value'), min: node.numberOr('min', 0.5) };
  }
}

function compileRegex(node: DefinitionNode, context: CompileContext): Assertion {
  const pattern = node.text('value');
  const problem = regexProblem(pattern);
  if (problem !== undefined)
    context.problems.error(
      node.pathOf('value'),
      `The regular expression cannot be used: ${problem}.`,
      'Write the pattern in RE2 syntax, which has no look-ahead, look-behind or back-references.',
    );
  return { kind: 'regex', path: pathOf(node, context), pattern, matches: (text) => safeRegex(pattern).test(text) };
}

function pathOf(node: DefinitionNode, context: CompileContext): Expression | null {
  return node.has('path') ? context.expression(node.text('path'), node.pathOf('path'), 'assertion') : null;
}
