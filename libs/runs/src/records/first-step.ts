import { type CompiledDefinition, type CompiledStep, readableSteps, blocksOf } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { RunMode } from './run-status.js';

/** The step from which a replay executes the plan again: the position in the replayed run, and the path of the step. */
export interface FirstStep {
  n: number;
  /** Null if the position belongs to no step of the plan, for example to the trigger. */
  path: string | null;
}

const TURN_OR_CALL = /(^|\.)turn\[\d+\](\.call\[\d+\])?$/;

/** Returns the first step of a replay. Returns null if the run replays the whole plan, or is no replay. */
function firstStepOf({ type, from_step: n, from_path: path }: JsonObject): FirstStep | null {
  if (type !== 'replay' || typeof n !== 'number') return null;
  return { n, path: typeof path === 'string' ? path : null };
}

/**
 * Returns the paths at which the step with this path records its calls: its own path, and the paths of the steps inside
 * a block that is no loop, such as `parallel`. The paths inside a loop or an agent step begin with its own path.
 */
export function pathsOf({ steps, onFailure }: CompiledDefinition, path: string): string[] {
  const prefix = path.slice(0, path.lastIndexOf('.') + 1);
  const step = stepNamed([...steps, ...onFailure], path.slice(prefix.length));
  return [path, ...(step ? innerIds(step).map((id) => prefix + id) : [])];
}

/** Returns whether a step at `path` is one of the steps with the given {@link pathsOf}, or inside one of them. */
function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some(
    (outer) =>
      path === outer ||
      (path.startsWith(outer) && ['[', '.'].includes(path[outer.length] ?? '') && !TURN_OR_CALL.test(outer)),
  );
}

/** Returns whether a run may use a result of the run that it replays. */
export function reusableBy(
  { mode, trigger }: { mode: RunMode; trigger: JsonObject },
  definition: CompiledDefinition,
): (record: { id: string; path: string; state: string }) => boolean {
  const first = firstStepOf(trigger);
  const again = first?.path == null ? [] : pathsOf(definition, first.path);
  return ({ id, path, state }) => {
    if (isWithin(path, again)) return false;
    // A run in mode `production` never acts on a simulated result, and makes a call again that failed.
    if (mode === 'production') return state === 'succeeded';
    return state !== 'failed' || first === null || positionOf(id) < first.n;
  };
}

function positionOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

function innerIds(step: CompiledStep): string[] {
  return readableSteps(step).flatMap((inner) => [inner.id, ...innerIds(inner)]);
}

function stepNamed(steps: readonly CompiledStep[], name: string): CompiledStep | undefined {
  for (const step of steps) {
    const found = step.id === name ? step : stepNamed(blocksOf(step).flat(), name);
    if (found) return found;
  }
  return undefined;
}
