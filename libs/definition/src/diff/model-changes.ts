import { MODEL_FILES } from '../model/compiled-definition.js';
import { type CapabilityChange, change, type Comparison } from './capability-change.js';

const EFFORT = ['model', 'params', 'effort'];
const FILES = ['model', 'files'];

export function modelChanges(comparison: Comparison): CapabilityChange[] {
  return [...effortChanges(comparison), ...fileChanges(comparison)];
}

function effortChanges({ before, after }: Comparison): CapabilityChange[] {
  const [one, other] = [before, after].map(({ compiled }) => compiled.model?.params.effort ?? null);
  if (one === other || one === undefined || other === undefined) return [];
  if (one === null)
    return [
      change('model_effort_gained', 'warning', `The model works with the effort ${other}.`, EFFORT, [one, other]),
    ];
  if (other === null)
    return [change('model_effort_lost', 'warning', `The effort ${one} was removed.`, EFFORT, [one, other])];
  return [change('model_effort_changed', 'warning', `The effort is ${other} instead of ${one}.`, EFFORT, [one, other])];
}

const SEEN = {
  auto: 'The model sees files of its input as images, documents or text.',
  text: 'The model sees files of its input only as text.',
  off: 'The model does not see files of its input, only their names.',
};

/** If the model sees more of a file, its content goes to the provider in a new form. */
function fileChanges({ before, after }: Comparison): CapabilityChange[] {
  const [one, other] = [before.compiled.model, after.compiled.model];
  if (!one || !other) return [];
  const [was, is] = [one.files ?? 'auto', other.files ?? 'auto'];
  if (was === is) return [];
  const severity = MODEL_FILES.indexOf(is) < MODEL_FILES.indexOf(was) ? 'warning' : 'info';
  // Without the member, the newer definition has no such place.
  const path = other.files === undefined ? ['model'] : FILES;
  return [change('model_files_changed', severity, SEEN[is], path, [was, is])];
}
