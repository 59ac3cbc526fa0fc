import type { DefinitionNode } from '../contract/definition-node.js';
import { allStepNodes } from '../steps/step-nodes.js';

/** Whether the definition uses the tool in a step, a trigger, a policy or a case of the evaluation. */
export function usesTool(root: DefinitionNode, tool: string, operations: readonly string[]): boolean {
  const name = new RegExp(`(?<![\\w.])${tool}\\.(${operations.join('|')})(?!\\w)`);
  const mentions = (value: unknown): boolean => value !== undefined && name.test(JSON.stringify(value));
  return stepsUseTool(root, tool) || ['policies', 'triggers', 'evaluation'].some((key) => mentions(root.value[key]));
}

/** Whether a step calls the tool, or lets a model call it. */
export function stepsUseTool(root: DefinitionNode, tool: string): boolean {
  return [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].some((node) => {
    const called = node.has('tool') ? [node.text('tool')] : (node.optionalChild('agent')?.texts('tools') ?? []);
    return called.some((name) => name === tool || name.startsWith(`${tool}.`));
  });
}
