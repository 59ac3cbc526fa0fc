import { isJsonObject, type JsonValue } from '@app/kernel';
import { allStepNodes } from './compile/compile-steps.js';
import type { DefinitionNode } from './compile/definition-node.js';
import type { Path, Problems } from './compile/problems.js';

interface UnsupportedFeature {
  /** Completes "… is not supported by this release." */
  readonly feature: string;
  /** Dotted path; `*` is every member or item, and a leading `step` is every step, however deep. */
  readonly at: string;
}

/** Features of `agent/v1` that are checked but not executed yet. What executes a feature deletes its line. */
const UNSUPPORTED_FEATURES: readonly UnsupportedFeature[] = [
  { feature: '`knowledge`', at: 'knowledge' },
  { feature: 'A `retrieve` step', at: 'step.retrieve' },
];

/** Reports each use of a feature that this release does not execute. The definition has the right form. */
export function reportUnsupported(root: DefinitionNode, problems: Problems): void {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  for (const { feature, at } of UNSUPPORTED_FEATURES) {
    const [head, ...rest] = at.split('.');
    const places =
      head === 'step'
        ? steps.flatMap((step) => placesOf(step.value, step.path, rest))
        : placesOf(root.value, [], at.split('.'));
    for (const { path } of places) {
      problems.error(path, `${feature} is not supported by this release.`, undefined, 'key');
    }
  }
}

interface FoundPlace {
  readonly value: JsonValue;
  readonly path: Path;
}

function placesOf(value: JsonValue, path: Path, parts: readonly string[]): FoundPlace[] {
  const [part, ...rest] = parts;
  if (part === undefined) return [{ value, path }];
  if (Array.isArray(value)) {
    return part === '*' ? value.flatMap((item, index) => placesOf(item, [...path, index], rest)) : [];
  }
  if (!isJsonObject(value)) return [];
  const names = part === '*' ? Object.keys(value) : Object.hasOwn(value, part) ? [part] : [];
  return names.flatMap((name) => placesOf(value[name] ?? null, [...path, name], rest));
}
