import { type CapabilityChange, change, type Comparison } from './capability-change.js';

const PLACE = ['model', 'params', 'effort'];

export function modelChanges({ before, after }: Comparison): CapabilityChange[] {
  const [one, other] = [before, after].map(({ compiled }) => compiled.model?.params.effort ?? null);
  if (one === other || one === undefined || other === undefined) return [];
  if (one === null)
    return [change('model_effort_gained', 'warning', `The model works with the effort ${other}.`, PLACE, [one, other])];
  if (other === null)
    return [change('model_effort_lost', 'warning', `The effort ${one} was removed.`, PLACE, [one, other])];
  return [change('model_effort_changed', 'warning', `The effort is ${other} instead of ${one}.`, PLACE, [one, other])];
}
