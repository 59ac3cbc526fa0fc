import type { CompiledStep, StepBase } from '../model/compiled-step.js';
import { StepCompilation, type Surroundings } from '../steps/contract/step-compilation.js';
import { outputTypeOf, STEPS } from '../steps/registry.js';
import { kindOf } from '../steps/step-nodes.js';
import { compileRetry } from './compile-rules.js';
import type { CompileContext } from './context/compile-context.js';
import type { DefinitionNode } from './context/definition-node.js';

/** Compiles a list of steps; each one sees the outputs of those before it. */
export function compileSteps(
  nodes: readonly DefinitionNode[],
  at: Surroundings,
  context: CompileContext,
): CompiledStep[] {
  return nodes.map((node) => {
    at.scope.enter(node.text('id'));
    const compilation = new StepCompilation(node, at, context, compileSteps);
    const step = STEPS[kindOf(node)].compile(baseOf(compilation), compilation);
    at.scope.add(step.id);
    context.outputTypes.set(step.id, outputTypeOf(step));
    return step;
  });
}

/** What every kind of step has. */
function baseOf(compilation: StepCompilation): StepBase {
  const { node, at } = compilation;
  const retry = node.optionalChild('retry');
  return {
    id: node.text('id'),
    pointer: node.pointer,
    if: compilation.optionalCondition(node, 'if'),
    timeoutMs: node.durationOr('timeout', null),
    retry: retry ? compileRetry(retry, at.blockRetry ?? at.defaultRetry) : (at.blockRetry ?? null),
    continueOnError: node.flagOr('continue_on_error', false),
  };
}
