import { invariant } from '@app/kernel';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import { STEP_KINDS, type StepKind } from '../model/compiled-step.js';
import { STEPS } from './registry.js';

/**
 * Returns the kind of a step, which is given by one of its keys.
 * @throws DomainError `internal_error` if the step has no such key, which means that the stored definition is corrupt
 */
export function kindOf(node: DefinitionNode): StepKind {
  const kind = STEP_KINDS.find((key) => node.has(key));
  invariant(kind !== undefined, () => `${node.pointer} of a definition is a step of a known kind`);
  return kind;
}

/** Returns the nodes that contain the `steps` inside a step. */
export function blockNodes(node: DefinitionNode): readonly DefinitionNode[] {
  return STEPS[kindOf(node)].blocks?.written(node) ?? [];
}

/** All step nodes below `parent[key]`, outer steps first, in the order of the document. */
export function allStepNodes(parent: DefinitionNode, key = 'steps'): DefinitionNode[] {
  const nodes: DefinitionNode[] = [];
  addStepNodes(parent, key, nodes);
  return nodes;
}

function addStepNodes(parent: DefinitionNode, key: string, nodes: DefinitionNode[]): void {
  for (const node of parent.items(key)) {
    nodes.push(node);
    for (const block of blockNodes(node)) addStepNodes(block, 'steps', nodes);
  }
}
