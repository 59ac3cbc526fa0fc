import { invariant } from '@app/kernel';
import type { CallbackPlaces } from '../contract/callback-places.js';
import type { DefinitionNode } from '../contract/definition-node.js';
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

export function blockNodes(node: DefinitionNode): readonly DefinitionNode[] {
  return STEPS[kindOf(node)].blocks?.written(node) ?? [];
}

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

export function callbackPlaces(nodes: readonly DefinitionNode[]): CallbackPlaces {
  const places = { waits: new Set<string>(), loops: new Map<string, readonly string[]>() };
  addPlaces(nodes, [], places);
  return places;
}

function addPlaces(
  nodes: readonly DefinitionNode[],
  loops: readonly string[],
  places: { waits: Set<string>; loops: Map<string, readonly string[]> },
): void {
  for (const node of nodes) {
    const [id, kind] = [node.text('id'), kindOf(node)];
    places.loops.set(id, loops);
    if (kind === 'wait' && node.child('wait').has('callback')) places.waits.add(id);
    const inside = STEPS[kind].isLoop ? [...loops, id] : loops;
    for (const block of blockNodes(node)) addPlaces(block.items('steps'), inside, places);
  }
}
