import type { CompiledDefinition } from '@app/definition';
import { isJsonObject } from '@app/kernel';
import { recordedPlan } from '@app/runs';
import { openedRun, openedStep } from '@app/runs';
import type { RunPrivacy } from '@app/runs';
import { runContext } from '@app/runs';
import type { RunEntity } from '@app/runs';
import type { RunStepEntity } from '@app/runs';
import type { GradedRun } from './grade.js';

export interface RecordedTrace {
  run: RunEntity;
  steps: RunStepEntity[];
}

/**
 * Types of the steps that an emergency stop or a lost worker adds to a trace. They must not affect the grade of a
 * version.
 */
const INTERRUPTIONS: ReadonlySet<RunStepEntity['type']> = new Set(['retry', 'stopped', 'resumed']);

export async function gradedRun(
  trace: RecordedTrace,
  privacy: RunPrivacy,
  definition: CompiledDefinition,
): Promise<GradedRun> {
  const run = openedRun(trace.run, privacy);
  const all = trace.steps.map((step) => openedStep(step, privacy));
  const steps = all.filter(({ type, state }) => !INTERRUPTIONS.has(type) && state !== 'interrupted');
  const { id, input, output, error, costMicros, activeMs } = run;
  // A run of an evaluation does not wait for approvals or callbacks. It ends at the step at which another run would
  // wait.
  const last = steps.findLast(({ type }) => type === 'approval' || type === 'wait');
  const status = last && isJsonObject(last.detail) && last.detail.asked === false ? 'waiting_approval' : run.status;
  const scope = { ...runContext(run, definition), steps: (await recordedPlan(definition, run, all)).last };
  return {
    id,
    status,
    input,
    output,
    error,
    costMicros: BigInt(costMicros),
    durationMs: Number(activeMs),
    steps,
    scope,
  };
}
