import type { JsonObject } from '@app/kernel';
import type { CheckContext } from './check-context.js';
import type { DefinitionNode } from './definition-node.js';
import type { CelType } from '@app/cel';
import type { CompiledStep, StepBase, StepKind, StepsByKind } from '../model/compiled-step.js';
import type { StepCompilation } from './step-compilation.js';
import { cel, duration, flag, list, object, pattern, ref } from './building-blocks.js';

/** The schema, the compilation, the checks and the output type of one kind of step. */
export interface StepDescriptor<Kind extends StepKind> {
  readonly schema: JsonObject;
  readonly compile: (base: StepBase, at: StepCompilation) => StepsByKind[Kind];
  /**
   * Reports problems that the schema and the compilation of single expressions do not find. Null if nothing needs a
   * check.
   */
  readonly check: ((node: DefinitionNode, input: StepCheckContext) => void) | null;
  readonly outputType: (step: StepsByKind[Kind]) => CelType;
  /**
   * The schema of the output, if it is known. If a later expression compares an enum of the output with a value that
   * the enum does not contain, that is an error.
   */
  readonly outputSchema?: (step: StepsByKind[Kind]) => JsonObject | null;
  /** The lists of steps inside the step. Null if this kind contains no steps. */
  readonly blocks: Blocks<Kind> | null;
  /** True if the inner steps run in several rounds, so that later steps cannot read their outputs. */
  readonly isLoop?: boolean;
  /** True if the step consists of inner steps, or of model turns and calls. Its `timeout` covers all of them. */
  readonly isBlock: boolean;
  /** True if the step ends the run, so that the steps after it are never reached. */
  readonly ends: boolean;
  /** True if the step takes no time, so that `timeout` has no effect. */
  readonly isInstant: boolean;
  readonly isRepeatable: boolean;
}

interface Blocks<Kind extends StepKind> {
  /** Returns the nodes of the definition whose key `steps` lists the inner steps of `node`. */
  readonly written: (node: DefinitionNode) => readonly DefinitionNode[];
  readonly compiled: (step: StepsByKind[Kind]) => readonly (readonly CompiledStep[])[];
}

export interface StepCheckContext extends CheckContext {
  readonly stepsInside: (node: DefinitionNode) => readonly DefinitionNode[];
}

/** Properties that every kind of step has. */
const base = {
  id: pattern('Unique name. Later steps can read `steps.<id>.output`.', 'variable'),
  if: cel('If false, the step is skipped.'),
  timeout: duration('Limit of an attempt, wait or inner steps.'),
  retry: ref('retry', 'Retry policy of the step and of its inner steps.'),
  continue_on_error: flag('Continue after a failure; the output is then null.', false),
};

export function stepSchema(
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[] = [],
): JsonObject {
  return object(description, { ...base, ...properties }, ['id', ...required]);
}

export function stepList(description: string): JsonObject {
  return list(description, ref('step'), 200, { minItems: 1 });
}

export const requestSchema: JsonObject = {
  type: 'object',
  description: 'Arguments of the call. Values may contain `${{ CEL }}`.',
};
