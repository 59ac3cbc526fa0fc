import type { JsonObject } from '@app/kernel';
import type { CelType } from '../expressions/cel-types.js';
import { byPresence } from '../json-schema/building-blocks.js';
import { type CompiledStep, STEP_KINDS, type StepKind, type StepsByKind } from '../model/compiled-step.js';
import { agentStep } from './agent.js';
import { approvalStep } from './approval.js';
import { assertStep } from './assert.js';
import type { StepDescriptor } from './contract/step-descriptor.js';
import { failStep } from './fail.js';
import { forEachStep } from './for-each.js';
import { handOffStep } from './hand-off.js';
import { letStep } from './let.js';
import { outputStep } from './output.js';
import { parallelStep } from './parallel.js';
import { retrieveStep } from './retrieve.js';
import { switchStep } from './switch.js';
import { toolStep } from './tool.js';
import { waitStep } from './wait.js';

type StepDescriptors = { readonly [Kind in StepKind]: StepDescriptor<Kind> };

/** The descriptor of each kind of step. */
export const STEPS: StepDescriptors = {
  tool: toolStep,
  retrieve: retrieveStep,
  let: letStep,
  switch: switchStep,
  for_each: forEachStep,
  parallel: parallelStep,
  approval: approvalStep,
  wait: waitStep,
  agent: agentStep,
  assert: assertStep,
  hand_off: handOffStep,
  fail: failStep,
  output: outputStep,
};

/** The schema `#/$defs/step`. */
export const stepDefinition: JsonObject = byPresence(
  Object.fromEntries(STEP_KINDS.map((kind) => [kind, STEPS[kind].schema])),
);

type StepOf<Kind extends StepKind> = StepsByKind[Kind] & { readonly kind: Kind };

/** The lists of steps inside a step; empty for a kind that contains no steps. */
export function blocksOf<Kind extends StepKind>(step: StepOf<Kind>): readonly (readonly CompiledStep[])[] {
  return STEPS[step.kind].blocks?.compiled(step) ?? [];
}

/** Whether a step consists of steps, or of turns and calls. Its `timeout` covers all of them. */
export function isBlock({ kind }: CompiledStep): boolean {
  return STEPS[kind].isBlock;
}

/** The type of the output of a step for the expressions of later steps. */
export function outputTypeOf<Kind extends StepKind>(step: StepOf<Kind>): CelType {
  // After a failure, the output of such a step is null.
  return step.continueOnError ? 'dyn' : STEPS[step.kind].outputType(step);
}
