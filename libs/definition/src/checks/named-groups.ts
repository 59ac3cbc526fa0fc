import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Path } from '../compile/context/problems.js';
import { allStepNodes } from '../steps/step-nodes.js';

/** The task that a definition gives to a group: to decide approvals, to answer questions, or to take over runs. */
export type GroupTask = 'approve' | 'answer' | 'take_over';

export interface NamedGroup {
  readonly name: string;
  readonly task: GroupTask;
  readonly path: Path;
}

/** Returns all groups that a definition names: in approval rules, in `hand_off`, and in `ask` and `hand_off` steps. */
export function namedGroups(root: DefinitionNode): NamedGroup[] {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  const handOffs = [root, ...steps].filter((node) => node.has('hand_off'));
  return [
    ...root.objects('approvals').flatMap(([, rule]) => groupsOf(rule, 'approvers', 'approve')),
    ...steps.filter((step) => step.has('ask')).flatMap((step) => groupsOf(step.child('ask'), 'to', 'answer')),
    ...handOffs.flatMap((node) => groupsOf(node.child('hand_off'), 'to', 'take_over')),
  ];
}

function groupsOf(node: DefinitionNode, key: string, task: GroupTask): NamedGroup[] {
  return node.texts(key).map((name, index) => ({ name, task, path: [...node.pathOf(key), index] }));
}
