import type { JsonObject } from '@app/kernel';
import { Approval } from '../records/approval.entity.js';
import { Run } from '../records/run.entity.js';
import { RunStep } from '../records/run-step.entity.js';
import type { RunPrivacy } from './run-privacy.js';

/** The records of a run with everything that is sealed in them opened. Copies: nothing of them is ever written. */
export function openedRun(run: Run, privacy: RunPrivacy): Run {
  const input = privacy.openedObject(run.input);
  const trigger = privacy.openedObject(run.trigger);
  return Object.assign(new Run(), run, { input, trigger, output: privacy.opened(run.output) });
}

export function openedStep(step: RunStep, privacy: RunPrivacy): RunStep {
  const request = openedOrNull(step.request, privacy);
  const detail = openedOrNull(step.detail, privacy);
  return Object.assign(new RunStep(), step, { request, output: privacy.opened(step.output), detail });
}

export function openedApproval(approval: Approval, privacy: RunPrivacy): Approval {
  const request = openedOrNull(approval.request, privacy);
  return Object.assign(new Approval(), approval, { request, show: privacy.openedObject(approval.show) });
}

function openedOrNull(object: JsonObject | null, privacy: RunPrivacy): JsonObject | null {
  return object && privacy.openedObject(object);
}
