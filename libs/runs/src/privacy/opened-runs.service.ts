import { CompiledVersionsService } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type AttemptStore, PrivateRunStore } from './private-run-store.js';
import { RunPrivaciesService } from './run-privacies.service.js';
import type { RunPrivacy } from './run-privacy.js';
import { ApprovalEntity } from '../records/approval.entity.js';
import { evaluatedCase, isChildOfEvaluation, MockedCalls } from '../records/evaluated-case.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunStepEntity } from '../records/run-step.entity.js';
import { RunEntity } from '../records/run.entity.js';
import { RunStore } from '../store/run.store.js';

/** A claimed run with its sealed values decrypted, and the store through which its attempt must write. */
interface OpenedRun {
  run: ClaimedRun;
  store: AttemptStore;
}

@Injectable()
export class OpenedRunsService {
  constructor(
    private readonly store: RunStore,
    private readonly privacies: RunPrivaciesService,
    private readonly versions: CompiledVersionsService,
  ) {}

  async openRun(claimed: ClaimedRun, definition: CompiledDefinition): Promise<OpenedRun> {
    const privacy = this.privacies.of(claimed, definition);
    const calls = await this.store.recordedCalls(claimed);
    const recordedCalls = calls?.map((call) => opened(call, privacy));
    const mocks = await this.mocksOf(claimed);
    const { input, trigger, steps, ...same } = claimed;
    const run: ClaimedRun = {
      mocks,
      recordedCalls,
      input: privacy.openedObject(input),
      trigger: privacy.openedObject(trigger),
      steps: steps.map((step) => opened(step, privacy)),
      ...same,
    };
    return { run, store: privacy.redactsNothing ? this.store : new PrivateRunStore(this.store, privacy, run) };
  }

  /**
   * Returns the mocks of a run of an evaluation. Both versions of a comparison use the mocks of the evaluated version.
   * A child run has no mocks and makes its reads live: if the case had a mock for the call, no child run would have
   * been started.
   */
  private async mocksOf({ workspaceId, agentId, trigger }: ClaimedRun): Promise<MockedCalls | undefined> {
    if (isChildOfEvaluation(trigger)) return new MockedCalls(new Map(), 'live');
    const evaluated = evaluatedCase(trigger);
    if (!evaluated) return undefined;
    return MockedCalls.of(await this.versions.get(workspaceId, agentId, evaluated.version), evaluated.caseN);
  }
}

function opened<Step extends Pick<ClaimedRun['steps'][number], 'request' | 'output'>>(
  step: Step,
  privacy: RunPrivacy,
): Step {
  return { ...step, request: step.request && privacy.openedObject(step.request), output: privacy.opened(step.output) };
}

/** Returns a copy of the record with its sealed values decrypted. The copy must not be written. */
export function openedRun(run: RunEntity, privacy: RunPrivacy): RunEntity {
  const input = privacy.openedObject(run.input);
  const trigger = privacy.openedObject(run.trigger);
  return Object.assign(new RunEntity(), run, { input, trigger, output: privacy.opened(run.output) });
}

export function openedStep(step: RunStepEntity, privacy: RunPrivacy): RunStepEntity {
  const request = openedOrNull(step.request, privacy);
  const detail = openedOrNull(step.detail, privacy);
  return Object.assign(new RunStepEntity(), step, { request, output: privacy.opened(step.output), detail });
}

export function openedApproval(approval: ApprovalEntity, privacy: RunPrivacy): ApprovalEntity {
  const request = openedOrNull(approval.request, privacy);
  return Object.assign(new ApprovalEntity(), approval, { request, show: privacy.openedObject(approval.show) });
}

function openedOrNull(object: JsonObject | null, privacy: RunPrivacy): JsonObject | null {
  return object && privacy.openedObject(object);
}
