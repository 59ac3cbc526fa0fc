import { invariant } from '@app/kernel';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import { STEP_KINDS, type StepKind } from '../model/compiled-step.js';
import { STEPS } from './registry.js';

/**
 * Which of the keys that make a kind is there.
 * @throws DomainError `internal_error` where none is: the stored definition is corrupt
 */
export function kindOf(node: DefinitionNode): StepKind {
  const kind = STEP_KINDS.find((key) => node.has(key));
  invariant(kind !== undefined, () => `${node.pointer} of a definition is a step of a known kind`);
  return kind;
}

/** The nodes whose `steps` are inside of a step. */
export function blockNodes(node: DefinitionNode): readonly DefinitionNode[] {
  return STEPS[kindOf(node)].blocks?.written(node) ?? [];
}

/** Every step node below `parent[key]`, outer ones first, in the order of the document. */
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
