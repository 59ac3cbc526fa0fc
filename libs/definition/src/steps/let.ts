import { PATTERNS } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const letStep: StepDescriptor<'let'> = {
  schema: stepSchema('Computes values for later steps.', {
    let: {
      type: 'object',
      description: 'Values by name. Strings may contain `${{ CEL }}`.',
      propertyNames: { pattern: PATTERNS.variable },
      minProperties: 1,
    },
  }),
  compile(base, at) {
    const { node } = at;
    return { ...base, kind: 'let', values: at.template(node.child('let').value, node.pathOf('let')) };
  },
  check: null,
  outputType: ({ values }) => values.type,
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: true,
  isRepeatable: false,
};
