import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Problems } from '../compile/context/problems.js';
import { didYouMean } from '@app/kernel';
import { ASSERTION_KINDS } from '../model/compiled-evaluation.js';
import { furtherPassesNeeded } from '../model/wilson.js';
import { checkAgainstInput, type CheckContext, requireUnique, resolveOperation } from './contract/check-context.js';

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
  checkAgainstInput(node.child('input'), input);
  for (const [name, , path] of node.entries('mock')) resolveOperation(name, path, compiled, problems);
  for (const assertion of node.items('assert')) checkAssertion(assertion, input);
}

function checkAssertion(node: DefinitionNode, { compiled, problems }: CheckContext): void {
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
      const names = [...compiled.policies.map((policy) => policy.name), ...compiled.approvals.keys()];
      return requireKnown(node, names, 'policy or approval', problems);
    }
    case 'denied': {
      const names = [...compiled.policies.map((policy) => policy.name), ...compiled.operations.keys()];
      return requireKnown(node, names, 'policy or operation', problems);
    }
    case 'equals':
    case 'contains':
    case 'regex':
    case 'json_schema':
    case 'cel':
    case 'status':
    case 'cites':
    case 'cost':
    case 'latency':
    case 'steps':
    case 'similar':
    case 'llm_rubric':
      return undefined;
  }
}

function requireKnown(node: DefinitionNode, names: readonly string[], what: string, problems: Problems): void {
  const name = node.optionalText('value');
  if (name === null || names.includes(name)) return;
  problems.error(node.pathOf('value'), `There is no ${what} \`${name}\`.`, didYouMean(name, names));
}

/**
 * Warns about a pass rate that cannot be proven even if all trials pass, because no later version could be promoted.
 */
function warnAboutUnprovableRate(
  evaluation: DefinitionNode,
  gate: DefinitionNode,
  cases: number,
  problems: Problems,
): void {
  if (!gate.has('min_pass_rate')) return;
  const [rate, confidence] = [gate.number('min_pass_rate'), gate.numberOr('confidence', 0.95)];
  // A rate of 1 needs no proof: every trial must pass. The number of recorded runs is unknown here.
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
