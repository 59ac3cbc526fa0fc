import { objectOf, valuesOf } from '../plan/definition-json.js';

/** Returns what a definition lets the members of the group do. */
export function groupTasks(definition: unknown, group: string): string[] {
  const isNamed = (list: unknown): boolean => [list].flat().includes(group);
  const receives = (key: string): boolean =>
    valuesOf(definition, key).some((member) => isNamed(objectOf(member)['to']));
  return [
    ...(valuesOf(definition, 'approvers').some(isNamed) ? ['decides approvals'] : []),
    ...(receives('ask') ? ['answers questions'] : []),
    ...(receives('hand_off') ? ['takes over runs'] : []),
  ];
}
