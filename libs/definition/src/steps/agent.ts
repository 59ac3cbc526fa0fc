import { resolveOperation } from '../contract/check-context.js';
import { celTypeOf } from '@app/cel';
import { jsonSchema, list, object, pattern, text, whole } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const agentStep: StepDescriptor<'agent'> = {
  schema: stepSchema('Lets the model work on one part of the plan.', {
    agent: object(
      'The task of the model.',
      {
        instructions: text('Instructions for the model.'),
        tools: list(
          'Operations or tools that the model may use; `[]` for none. Default: all.',
          pattern('`<tool>` or `<tool>.<operation>`.', 'operationName'),
          100,
        ),
        output: jsonSchema('Schema of the output of the model.'),
        max_steps: whole('Maximum number of tool calls in the step.', 1, 1_000),
      },
      ['instructions'],
    ),
    with: {
      type: 'object',
      description: 'Data that the model receives. Default: the input of the run. Values may contain `${{ CEL }}`.',
    },
  }),
  compile(base, at) {
    const node = at.node.child('agent');
    return {
      ...base,
      kind: 'agent',
      instructions: at.template(node.text('instructions'), node.pathOf('instructions')),
      with: at.optionalTemplate(at.node, 'with'),
      operations: node.has('tools') ? [...new Set(node.texts('tools').flatMap(at.position.operationsOf))] : null,
      output: at.context.schema(node.raw('output'), node.pathOf('output')),
      maxSteps: node.numberOr('max_steps', null),
    };
  },
  check(node, { compiled, problems }) {
    const agent = node.child('agent');
    for (const [index, reference] of agent.texts('tools').entries()) {
      if (compiled.tools.has(reference)) continue;
      resolveOperation(reference, [...agent.pathOf('tools'), index], compiled, problems);
    }
  },
  outputType: ({ output }) => (output ? celTypeOf(output.schema) : 'dyn'),
  outputSchema: ({ output }) => output?.schema ?? null,
  blocks: null,
  isBlock: true,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};
