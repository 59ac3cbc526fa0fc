import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { didYouMean, type JsonObject } from '@app/kernel';
import { ANY_FILES, type SchemaValidator } from '@app/json-schema';
import type { CompiledStep } from '../model/compiled-step.js';
import { blocksOf } from '../steps/registry.js';
import { allStepNodes } from '../steps/step-nodes.js';
import { ASSERTION_KINDS } from '../model/compiled-evaluation.js';
import { sampleFixture, withFixturesBelow } from '../model/fixtures.js';
import { furtherPassesNeeded } from '../model/wilson.js';
import { MAX_STATE_VALUE, MAX_STATE_KEY } from '../tools/state.js';
import { checkAgainstInput, type CheckContext, requireUnique, resolveOperation } from '../contract/check-context.js';

/** Reports cases that cannot run and gates that no version can pass. */
export function checkEvaluation(input: CheckContext): void {
  const { root, problems } = input;
  const evaluation = root.optionalChild('evaluation');
  if (!evaluation) return;
  const cases = evaluation.items('cases');
  requireUnique(
    cases.map((node) => ({ name: node.text('name'), path: node.pathOf('name') })),
    'cases',
    problems,
  );
  for (const node of cases) checkCase(node, input);
  if (cases.length === 0 && !evaluation.has('from_runs')) {
    problems.error(evaluation.path, 'The evaluation has no cases.', 'Add `cases` or `from_runs`.');
  }
  checkGate(evaluation, cases, problems);
  if (cases.length > 0 && !evaluation.has('gate')) {
    const detail = 'The evaluation has no gate, so a version that fails its cases can still be promoted.';
    problems.warning(
      evaluation.path,
      detail,
      'Add a `gate`. A gate without `min_pass_rate`, such as `gate: { max_age: 7d }`, requires that every case passes.',
    );
  }
}

function checkCase(node: DefinitionNode, input: CheckContext): void {
  const { compiled, problems } = input;
  const constant = node.child('input');
  checkAgainstInput(constant, input, withFixturesBelow(constant.value, sampleFixture));
  for (const [name, , path] of node.entries('mock')) resolveOperation(name, path, compiled, problems);
  const mocked = new Set(node.entries('mock').map(([name]) => name));
  for (const [name, , path] of node.entries('mock_each')) {
    resolveOperation(name, path, compiled, problems);
    if (!mocked.has(name)) continue;
    const detail = `\`mock\` already answers every call of \`${name}\`, so \`mock_each\` has no effect.`;
    problems.error(path, detail, 'Remove the operation from `mock` or from `mock_each`.', 'key');
  }
  checkState(node, problems);
  checkAnswers(node, input);
  for (const assertion of node.items('assert')) {
    checkAssertion(assertion, input);
    if (assertion.text('type') === 'file_shown') checkShownFile(assertion, node.child('input').value, input);
  }
}

/** Reports keys and values of the initial state that exceed the limits of the state. */
function checkState(node: DefinitionNode, problems: Problems): void {
  for (const [key, value, path] of node.entries('state')) {
    const length = [...key].length;
    if (length === 0 || length > MAX_STATE_KEY) {
      const detail = `A key of the state has 1 to ${MAX_STATE_KEY} characters; this key has ${length}.`;
      problems.error(path, detail, 'Choose another key.', 'key');
    }
    if (new TextEncoder().encode(JSON.stringify(value)).length > MAX_STATE_VALUE)
      problems.error(
        path,
        'A value of the state has at most 64 KiB of JSON.',
        'Store a smaller value, or split it over several keys.',
      );
  }
}

/**
 * Checks the answers of a test case. Reports answers to steps that do not wait for an answer, and answers that do not
 * match the schema of their step.
 */
function checkAnswers(node: DefinitionNode, { root, compiled, problems, budget }: CheckContext): void {
  const answers = node.optionalChild('answers');
  if (!answers) return;
  const checks = answerChecks([...compiled.steps, ...compiled.onFailure]);
  for (const id of Object.keys(answers.value)) {
    if (!checks.has(id)) {
      const isStep = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].some(
        (step) => step.text('id') === id,
      );
      const detail = isStep ? `The step \`${id}\` does not wait for an answer.` : `There is no step \`${id}\`.`;
      const remedy = 'Name a step that has `ask` or `wait.callback`.';
      problems.error(answers.pathOf(id), detail, didYouMean(id, checks.keys()) ?? remedy, 'key');
    }
    for (const misfit of checks.get(id)?.(withFixturesBelow(answers.child(id).value, sampleFixture), budget) ?? []) {
      const path = [...answers.pathOf(id), ...misfit.pointer.split('/').slice(1)];
      problems.error(
        path,
        `This answer does not match the schema of the step \`${id}\`: ${misfit.detail}`,
        misfit.suggestion,
      );
    }
  }
}

type AnswerCheck = SchemaValidator['validate'];

function answerChecks(steps: readonly CompiledStep[]): Map<string, AnswerCheck> {
  const checks = new Map<string, AnswerCheck>();
  for (const step of steps) {
    // An answer to `ask` gets the defaults of the form. The body of a callback gets no defaults.
    if (step.kind === 'ask')
      checks.set(step.id, (answer, budget) => step.form.complete(answer, budget, ANY_FILES).errors);
    if (step.kind === 'wait' && step.callback) {
      const { schema } = step.callback;
      checks.set(step.id, (body, budget) => schema?.validate(body, budget, ANY_FILES) ?? []);
    }
    for (const block of blocksOf(step)) for (const [id, check] of answerChecks(block)) checks.set(id, check);
  }
  return checks;
}

function checkAssertion(node: DefinitionNode, { root, compiled, problems }: CheckContext): void {
  const path = node.pathOf('value');
  switch (node.choice('type', ASSERTION_KINDS)) {
    case 'tool_called':
    case 'not_tool_called':
      return void resolveOperation(node.text('value'), path, compiled, problems);
    case 'tool_order':
      return node
        .texts('value')
        .forEach((name, index) => void resolveOperation(name, [...path, index], compiled, problems));
    case 'approval_requested': {
      const questions = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].filter((step) => step.has('ask'));
      const rules = [...compiled.policies.map((policy) => policy.name), ...compiled.approvals.keys()];
      const names = [...rules, ...questions.map((step) => step.text('id'))];
      return requireKnown(node, names, 'policy, approval or question', problems);
    }
    case 'denied': {
      const names = [...compiled.policies.map((policy) => policy.name), ...compiled.operations.keys()];
      return requireKnown(node, names, 'policy or operation', problems);
    }
    case 'status':
      return warnAboutCancelled(node, problems);
    case 'equals':
    case 'contains':
    case 'regex':
    case 'json_schema':
    case 'cel':
    case 'cites':
    case 'file_shown':
    case 'cost':
    case 'latency':
    case 'steps':
    case 'similar':
    case 'llm_rubric':
      return undefined;
  }
}

/** Reports an assertion that no run of the case can pass: without the member, or without a model. */
function checkShownFile(node: DefinitionNode, input: JsonObject, { compiled, problems }: CheckContext): void {
  const name = node.text('value');
  const path = node.pathOf('value');
  if (!Object.hasOwn(input, name))
    problems.error(path, `The input of the case has no member \`${name}\`.`, didYouMean(name, Object.keys(input)));
  else if (!compiled.model)
    problems.error(path, 'The agent has no model that could see a file.', 'Add `model`, or remove the assertion.');
}

/**
 * Warns about an assertion that expects the status `cancelled`. A cancelled run is not graded, so the assertion never
 * passes.
 */
function warnAboutCancelled(node: DefinitionNode, problems: Problems): void {
  if (node.text('value') !== 'cancelled') return;
  problems.warning(
    node.pathOf('value'),
    'A cancelled run is not graded, so this assertion never passes.',
    'Name another status, for example `failed` or `waiting_approval`.',
  );
}

function requireKnown(node: DefinitionNode, names: readonly string[], what: string, problems: Problems): void {
  const name = node.optionalText('value');
  if (name === null || names.includes(name)) return;
  problems.error(node.pathOf('value'), `There is no ${what} \`${name}\`.`, didYouMean(name, names));
}

/**
 * Warns if the number of trials is too small to prove the pass rate even if all trials pass. Then no version could be
 * promoted.
 */
function warnAboutUnprovableRate(
  evaluation: DefinitionNode,
  gate: DefinitionNode,
  cases: number,
  problems: Problems,
): void {
  if (!gate.has('min_pass_rate')) return;
  const [rate, confidence] = [gate.number('min_pass_rate'), gate.numberOr('confidence', 0.95)];
  // A rate of 1 needs no statistical proof: every trial must pass. With `from_runs`, the number of trials is not yet
  // known.
  if (rate === 1 || evaluation.has('from_runs')) return;
  const trials = cases * evaluation.numberOr('trials', 1);
  const missing = furtherPassesNeeded(trials, trials, rate, confidence);
  if (missing === 0) return;
  problems.warning(
    gate.pathOf('min_pass_rate'),
    `With ${trials} ${trials === 1 ? 'trial' : 'trials'}, a pass rate of ${rate} cannot be proven even if all trials pass, so no version could be promoted.`,
    `Run at least ${trials + missing} trials (number of cases × \`trials\`), lower the rate, or remove \`min_pass_rate\`. Without it, every case must pass.`,
  );
}

function checkGate(evaluation: DefinitionNode, cases: readonly DefinitionNode[], problems: Problems): void {
  const gate = evaluation.optionalChild('gate');
  if (gate) warnAboutUnprovableRate(evaluation, gate, cases.length, problems);
  const mustPass = gate?.optionalChild('must_pass');
  if (!mustPass) return;
  const tags = new Set(cases.flatMap((node) => node.texts('tags')));
  for (const [index, tag] of mustPass.texts('tags').entries()) {
    if (tags.has(tag)) continue;
    problems.error(
      [...mustPass.pathOf('tags'), index],
      `No case has the tag \`${tag}\`, so no version can pass the gate.`,
      didYouMean(tag, tags),
    );
  }
}
