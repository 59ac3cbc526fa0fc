import type { JsonObject } from '@app/kernel';
import type { KnownOutput } from '@app/cel';
import { byPresence } from '../contract/building-blocks.js';
import { type CompiledStep, STEP_KINDS, type StepKind, type StepsByKind } from '../model/compiled-step.js';
import { agentStep } from './agent.js';
import { approvalStep } from './approval.js';
import { askStep } from './ask.js';
import { assertStep } from './assert.js';
import type { StepDescriptor } from '../contract/step-descriptor.js';
import { codeStep } from './code.js';
import { failStep } from './fail.js';
import { forEachStep } from './for-each.js';
import { handOffStep } from './hand-off.js';
import { letStep } from './let.js';
import { outputStep } from './output.js';
import { parallelStep } from './parallel.js';
import { repeatStep } from './repeat.js';
import { retrieveStep } from './retrieve.js';
import { switchStep } from './switch.js';
import { toolStep } from './tool.js';
import { waitStep } from './wait.js';

type StepDescriptors = { readonly [Kind in StepKind]: StepDescriptor<Kind> };

export const STEPS: StepDescriptors = {
  tool: toolStep,
  retrieve: retrieveStep,
  let: letStep,
  code: codeStep,
  switch: switchStep,
  for_each: forEachStep,
  repeat: repeatStep,
  parallel: parallelStep,
  approval: approvalStep,
  ask: askStep,
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

export function blocksOf<Kind extends StepKind>(step: StepOf<Kind>): readonly (readonly CompiledStep[])[] {
  return STEPS[step.kind].blocks?.compiled(step) ?? [];
}

/**
 * Returns the inner steps of a step if later steps can read their outputs. Returns no steps for a loop, because its
 * inner outputs belong to one round.
 */
export function readableSteps<Kind extends StepKind>(step: StepOf<Kind>): readonly CompiledStep[] {
  return STEPS[step.kind].isLoop ? [] : blocksOf(step).flat();
}

export function isBlock({ kind }: CompiledStep): boolean {
  return STEPS[kind].isBlock;
}

export function outputOf<Kind extends StepKind>(step: StepOf<Kind>): KnownOutput {
  const { outputType, outputSchema } = STEPS[step.kind];
  const schema = outputSchema?.(step) ?? undefined;
  // If the step fails and the plan continues, the output is null.
  return { type: step.continueOnError ? 'dyn' : outputType(step), schema };
}
