import type { JsonObject } from '@app/kernel';
import { DefinitionNode } from '../contract/definition-node.js';
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

export function stepChanges(comparison: Comparison): CapabilityChange[] {
  return [
    ...loopChanges(comparison),
    ...codeChanges(comparison),
    ...questionChanges(comparison),
    ...callbackChanges(comparison),
  ];
}

function codeChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([nodesOf('code', before.raw), nodesOf('code', after.raw)], {
    gained: (id, node) =>
      change('code_gained', 'info', `Gains the code step ${id}.`, node.path, [null, node.child('code').value]),
    lost: (id, node) =>
      change('code_lost', 'info', `Loses the code step ${id}.`, node.path, [node.child('code').value, null]),
    kept: (id, one, other) => {
      const values = [one.child('code').value, other.child('code').value] as const;
      if (isEqual(...values)) return null;
      return change('code_changed', 'warning', `The code of the step ${id} has changed.`, other.pathOf('code'), values);
    },
  });
}

function loopChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([nodesOf('repeat', before.raw), nodesOf('repeat', after.raw)], {
    gained: (id, node) => {
      const message = `Gains the loop ${id} with up to ${roundsOf(node)} rounds.`;
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

function settingsOf(node: DefinitionNode): JsonObject {
  return Object.fromEntries(Object.entries(node.child('repeat').value).filter(([key]) => key !== 'steps'));
}

function roundsOf(node: DefinitionNode): number {
  return node.child('repeat').number('max');
}

function questionChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([nodesOf('ask', before.raw), nodesOf('ask', after.raw)], {
    gained: (id, { path, value: { ask = null } }) =>
      change('question_gained', 'info', `Asks people the question ${id}.`, path, [null, ask]),
    lost: (id, { path, value: { ask = null } }) =>
      change('question_lost', 'warning', `No longer asks people the question ${id}.`, path, [ask, null]),
    kept: (id, one, other) => changedPart('question', id, [one.child('ask'), other.child('ask')]),
  });
}

function callbackChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([callbacksOf(before.raw), callbacksOf(after.raw)], {
    gained: (id, { path, value }) =>
      change('callback_gained', 'warning', `Waits for a callback in the step ${id}.`, path, [null, value]),
    lost: (id, { path, value }) =>
      change('callback_lost', 'info', `No longer waits for a callback in the step ${id}.`, path, [value, null]),
    kept: (id, one, other) => changedPart('callback', id, [one, other]),
  });
}

function changedPart(
  noun: string,
  id: string,
  [one, other]: readonly [DefinitionNode, DefinitionNode],
): CapabilityChange | null {
  if (isEqual(one.value, other.value)) return null;
  const message = `The ${noun} of the step ${id} has changed.`;
  return change(`${noun}_changed`, 'warning', message, other.path, [one.value, other.value]);
}

export function callbacksOf(raw: JsonObject): ReadonlyMap<string, DefinitionNode> {
  const waits = [...nodesOf('wait', raw)].map(([id, node]) => [id, node.child('wait')] as const);
  return new Map(waits.filter(([, wait]) => wait.has('callback')).map(([id, wait]) => [id, wait.child('callback')]));
}

export function nodesOf(kind: StepKind, raw: JsonObject): ReadonlyMap<string, DefinitionNode> {
  const root = new DefinitionNode(raw, []);
  const nodes = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  return new Map(nodes.filter((node) => kindOf(node) === kind).map((node) => [node.text('id'), node]));
}
