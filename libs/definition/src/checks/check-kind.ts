import { allStepNodes, kindOf } from '../steps/step-nodes.js';
import type { CheckContext } from './contract/check-context.js';

/** Presence decides the kind: what is there must make one of the three. */
export function checkKind({ root, compiled, problems }: CheckContext): void {
  if (!root.has('model') && !root.has('steps')) {
    const suggestion = 'Add `steps` for a fixed plan, or `model` and `instructions` for an agent that a model drives.';
    problems.error([], 'There is neither a `model` nor `steps`: the agent would do nothing.', suggestion);
    return;
  }
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  const agentSteps = steps.filter((node) => kindOf(node) === 'agent');
  if (!root.has('model')) {
    for (const node of agentSteps) {
      problems.error(node.pathOf('agent'), 'An `agent` step needs a model.', 'Add `model` to the definition.', 'key');
    }
    for (const key of ['instructions', 'knowledge']) {
      if (root.has(key))
        problems.warning(
          [key],
          `\`${key}\` is for a model, and there is no \`model\`.`,
          `Add \`model\`, or remove \`${key}\`.`,
        );
    }
  }
  if (compiled.kind === 'mixed' && agentSteps.length === 0) {
    problems.warning(
      ['model'],
      'The model is never used: the plan has no `agent` step.',
      'Remove `model`, or add an `agent` step.',
    );
  }
  if (compiled.kind === 'model' && !root.has('instructions')) {
    problems.warning(['model'], 'The model is not told what to do.', 'Add `instructions`.');
  }
}

/** The input of a run is always an object: a schema of another type refuses every run. */
export function checkRunInput({ root, problems }: CheckContext): void {
  const type = root.optionalChild('input')?.raw('type');
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return;
  const detail = 'The input of a run is an object: no run fits a schema of another type.';
  problems.warning(['input', 'type'], detail, 'Write `type: object` and put the value into a property.');
}
