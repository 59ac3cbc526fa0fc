import { allStepNodes, kindOf } from '../steps/step-nodes.js';
import type { CheckContext } from '../contract/check-context.js';

/** Reports keys that do not fit the kind of agent. The keys `model` and `steps` decide the kind. */
export function checkKind({ root, compiled, problems }: CheckContext): void {
  if (!root.has('model') && !root.has('steps')) {
    const suggestion =
      'Add `steps` for a fixed plan, or `model` and `instructions` for an agent that is driven by a model.';
    problems.error([], 'The definition has neither `model` nor `steps`, so the agent has nothing to do.', suggestion);
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
          `\`${key}\` has no effect without a \`model\`.`,
          `Add \`model\`, or remove \`${key}\`.`,
        );
    }
  }
  if (compiled.kind === 'mixed' && agentSteps.length === 0) {
    problems.warning(
      ['model'],
      'The model is never used, because the plan has no `agent` step.',
      'Remove `model`, or add an `agent` step.',
    );
  }
  if (compiled.kind === 'model' && !root.has('instructions')) {
    problems.warning(
      ['model'],
      'The definition has a `model`, but no `instructions` for it.',
      'Add `instructions`, for example `instructions: Answer questions about orders.`',
    );
  }
}

/**
 * Warns if the input schema does not allow objects. The input of a run is always an object, so every run would be
 * rejected.
 */
export function checkRunInput({ root, problems }: CheckContext): void {
  const type = root.optionalChild('input')?.raw('type');
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return;
  const detail = 'The input of a run is always an object. A schema that does not allow objects rejects every run.';
  problems.warning(['input', 'type'], detail, 'Write `type: object` and declare the value as a property.');
}
