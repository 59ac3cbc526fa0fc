import type { JsonObject } from '@app/kernel';
import type { CheckContext } from '../../checks/contract/check-context.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { CelType } from '../../expressions/cel-types.js';
import type { CompiledStep, StepBase, StepKind, StepsByKind } from '../../model/compiled-step.js';
import type { StepCompilation } from './step-compilation.js';

/** Everything about a kind of step before it runs. */
export interface StepDescriptor<Kind extends StepKind> {
  /** The kind in the JSON Schema of the format. */
  readonly schema: JsonObject;
  /** Compiles a step of the right form; `base` is what every kind has. */
  readonly compile: (base: StepBase, at: StepCompilation) => StepsByKind[Kind];
  /** Reports problems that the schema and single expressions do not show. Null if there is nothing to check. */
  readonly check: ((node: DefinitionNode, input: StepCheckContext) => void) | null;
  /** What later steps know about the output. */
  readonly outputType: (step: StepsByKind[Kind]) => CelType;
  /** The lists of steps inside of the step. Null: the kind holds no steps. */
  readonly blocks: Blocks<Kind> | null;
  /** True: the step consists of steps, or of turns and calls, and its `timeout` is the time of all of them. */
  readonly isBlock: boolean;
  /** True: the step ends the run, so the steps below it are never reached. */
  readonly ends: boolean;
  /** True: the step takes no time, so `timeout` does nothing. */
  readonly isInstant: boolean;
  /** True: `retry` repeats the step or something inside of it. */
  readonly isRepeatable: boolean;
}

interface Blocks<Kind extends StepKind> {
  /** The nodes whose `steps` are inside. */
  readonly written: (node: DefinitionNode) => readonly DefinitionNode[];
  readonly compiled: (step: StepsByKind[Kind]) => readonly (readonly CompiledStep[])[];
}

/** The input of the check of a step. */
export interface StepCheckContext extends CheckContext {
  /** Every step inside of a step, at any depth. */
  readonly stepsInside: (node: DefinitionNode) => readonly DefinitionNode[];
}
