import { type CompiledDefinition, type CompiledStep, readableSteps, blocksOf } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { RunMode } from './run-status.js';

export interface FirstStep {
  n: number;
  path: string | null;
}

const TURN_OR_CALL = /(^|\.)turn\[\d+\](\.call\[\d+\])?$/;

function firstStepOf({ type, from_step: n, from_path: path }: JsonObject): FirstStep | null {
  if (type !== 'replay' || typeof n !== 'number') return null;
  return { n, path: typeof path === 'string' ? path : null };
}

/** The paths inside a loop or an agent step begin with its own path. */
export function pathsOf({ steps, onFailure }: CompiledDefinition, path: string): string[] {
  const prefix = path.slice(0, path.lastIndexOf('.') + 1);
  const step = stepNamed([...steps, ...onFailure], path.slice(prefix.length));
  return [path, ...(step ? innerIds(step).map((id) => prefix + id) : [])];
}

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some(
    (outer) =>
      path === outer ||
      (path.startsWith(outer) && ['[', '.'].includes(path[outer.length] ?? '') && !TURN_OR_CALL.test(outer)),
  );
}

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
