import { any } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const outputStep: StepDescriptor<'output'> = {
  schema: stepSchema('Sets the output of the run.', { output: any('Any value. Strings may contain `${{ CEL }}`.') }),
  compile(base, at) {
    return { ...base, kind: 'output', value: at.template(at.node.raw('output') ?? null, at.node.pathOf('output')) };
  },
  check: null,
  outputType: ({ value }) => value.type,
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: true,
  isRepeatable: false,
};
