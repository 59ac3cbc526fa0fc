import type { JsonObject } from '@app/kernel';
import { DefinitionNode } from '../compile/context/definition-node.js';
import type { StepKind } from '../model/compiled-step.js';
import { allStepNodes, kindOf } from '../steps/step-nodes.js';
import {
  type CapabilityChange,
  change,
  type ChangeSeverity,
  type Comparison,
  isEqual,
  matchedChanges,
} from './capability-change.js';

/** Changes of steps that decide how much the agent computes: loops. */
export function stepChanges(comparison: Comparison): CapabilityChange[] {
  return loopChanges(comparison);
}

function loopChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([nodesOf('repeat', before.raw), nodesOf('repeat', after.raw)], {
    gained: (id, node) => {
      const message = `Gains the loop ${id}, of up to ${roundsOf(node)} rounds.`;
      return change('loop_gained', 'warning', message, node.path, [null, settingsOf(node)]);
    },
    lost: (id, node) => change('loop_lost', 'info', `Loses the loop ${id}.`, node.path, [settingsOf(node), null]),
    kept: (id, one, other) => {
      const values = [settingsOf(one), settingsOf(other)] as const;
      if (isEqual(...values)) return null;
      const [severity, message] = loopDifference(id, roundsOf(one), roundsOf(other));
      return change('loop_changed', severity, message, other.pathOf('repeat'), values);
    },
  });
}

function loopDifference(id: string, before: number, after: number): [ChangeSeverity, string] {
  if (before === after) return ['info', `The loop ${id} has changed.`];
  const severity = after > before ? 'warning' : 'info';
  return [severity, `The loop ${id} may run ${after} rounds, no longer ${before}.`];
}

/** The keys of the loop, without the steps of a round. */
function settingsOf(node: DefinitionNode): JsonObject {
  return Object.fromEntries(Object.entries(node.child('repeat').value).filter(([key]) => key !== 'steps'));
}

function roundsOf(node: DefinitionNode): number {
  return node.child('repeat').number('max');
}

/** The steps of a kind, by their id. */
function nodesOf(kind: StepKind, raw: JsonObject): ReadonlyMap<string, DefinitionNode> {
  const root = new DefinitionNode(raw, []);
  const nodes = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  return new Map(nodes.filter((node) => kindOf(node) === kind).map((node) => [node.text('id'), node]));
}
