import type { CompiledStep, StepBase } from '../model/compiled-step.js';
import { StepCompilation, type StepPosition } from '../contract/step-compilation.js';
import { outputOf, STEPS } from '../steps/registry.js';
import { kindOf } from '../steps/step-nodes.js';
import { compileRetry } from './compile-rules.js';
import type { CompileContext } from '../contract/compile-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';

export function compileSteps(
  nodes: readonly DefinitionNode[],
  position: StepPosition,
  context: CompileContext,
): CompiledStep[] {
  return nodes.map((node) => {
    position.scope.enter(node.text('id'));
    const compilation = new StepCompilation(node, position, context, compileSteps);
    const step = STEPS[kindOf(node)].compile(baseOf(compilation), compilation);
    position.scope.add(step.id);
    context.outputs.set(step.id, outputOf(step));
    return step;
  });
}

function baseOf(compilation: StepCompilation): StepBase {
  const { node, position } = compilation;
  const retry = node.optionalChild('retry');
  return {
    id: node.text('id'),
    pointer: node.pointer,
    if: compilation.optionalCondition(node, 'if'),
    timeoutMs: node.durationOr('timeout', null),
    retry: retry ? compileRetry(retry, position.blockRetry ?? position.defaultRetry) : (position.blockRetry ?? null),
    continueOnError: node.flagOr('continue_on_error', false),
  };
}
