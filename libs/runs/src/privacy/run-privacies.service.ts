import { CompiledVersionsService } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import type { CallError } from '../interpreter/run-error.js';
import { ApprovalEntity } from '../records/approval.entity.js';
import { evaluatedCase, isChildOfEvaluation, MockedCalls } from '../records/evaluated-case.js';
import { reusableBy } from '../records/first-step.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunStepEntity } from '../records/run-step.entity.js';
import { RunEntity } from '../records/run.entity.js';
import { RunStore } from '../store/run.store.js';
import { type AttemptStore, PrivateRunStore } from './private-run-store.js';
import { type InheritedRedaction, inheritedRedaction } from './inherited-redaction.js';
import { ReferringRunStore } from './referring-run-store.js';
import { RunPrivacy } from './run-privacy.js';

/** The run is not part of the identity, because a replay copies encrypted values from another run of the agent. */
export interface AgentAddress {
  workspaceId: string;
  agentId: string;
}

type StoredRun = AgentAddress & { input: JsonObject };

interface OpenedRun {
  run: ClaimedRun;
  store: AttemptStore;
  privacy: RunPrivacy;
}

@Injectable()
export class RunPrivaciesService {
  constructor(
    private readonly box: SealedBox,
    private readonly store: RunStore,
    private readonly versions: CompiledVersionsService,
  ) {}

  /** @param inherited what the calling run or the replayed run redacts in the input */
  of(
    address: AgentAddress,
    { redactPaths }: Pick<CompiledDefinition, 'redactPaths'>,
    inherited?: InheritedRedaction,
  ): RunPrivacy {
    const cell = redactedCell(address);
    const sealer = {
      seal: (text: string) => this.box.seal(text, cell).toString('base64'),
      open: (sealed: string) => this.box.openText(Buffer.from(sealed, 'base64'), cell),
      isOutdated: (sealed: string) =>
        this.box.hasPreviousKeys && this.box.sealedBy(Buffer.from(sealed, 'base64')) === 'previous',
      mayBeOutdated: this.box.hasPreviousKeys,
    };
    return new RunPrivacy(redactPaths, sealer, inherited);
  }

  ofRun(run: StoredRun, definition: Pick<CompiledDefinition, 'redactPaths'>): RunPrivacy {
    return this.of(run, definition, this.inherited(run));
  }

  inherited(run: StoredRun): InheritedRedaction | undefined {
    const opener = this.opener(run);
    return inheritedRedaction(run.input, (value) => (opener.wasSealed(value) ? opener.opened(value) : undefined));
  }

  opener(address: AgentAddress): RunPrivacy {
    return this.of(address, { redactPaths: [] });
  }

  async openRun(claimed: ClaimedRun, definition: CompiledDefinition): Promise<OpenedRun> {
    const privacy = this.ofRun(claimed, definition);
    const calls = await this.store.recordedCalls(claimed);
    const recordedCalls = calls?.filter(reusableBy(claimed, definition)).map((call) => opened(call, privacy));
    const { input, trigger: sealed, steps, ...same } = claimed;
    const trigger = privacy.openedObject(sealed);
    const mocks = await this.mocksOf({ ...claimed, trigger });
    const run: ClaimedRun = {
      mocks,
      recordedCalls,
      input: privacy.openedObject(input),
      trigger,
      steps: steps.map((step) => opened(step, privacy)),
      ...same,
    };
    const store = privacy.redactsNothing ? this.store : new PrivateRunStore(this.store, privacy, run);
    return { run, store: new ReferringRunStore(store, privacy, run), privacy };
  }

  /**
   * Trials of the evaluated version and of the baseline version use the mocks of the evaluated version. A child run has
   * no mocks, and its reads are made. It exists only because the case has no mock for the call that started it.
   */
  private async mocksOf({ workspaceId, agentId, trigger, steps }: ClaimedRun): Promise<MockedCalls | undefined> {
    if (isChildOfEvaluation(trigger)) return new MockedCalls('live');
    const evaluated = evaluatedCase(trigger);
    if (!evaluated) return MockedCalls.ofDraft(trigger);
    const definition = await this.versions.get(workspaceId, agentId, evaluated.version);
    return MockedCalls.of(definition, evaluated)?.recall(steps);
  }
}

export function redactedCell({ workspaceId, agentId }: AgentAddress): SealedCell {
  return { workspace: workspaceId, table: 'runs', column: 'redacted', row: agentId };
}

function opened<
  Step extends {
    request?: JsonObject | null;
    output: JsonValue;
    error?: CallError | null;
    detail?: JsonObject | null;
    copied?: JsonObject | null;
  },
>(step: Step, privacy: RunPrivacy): Step {
  const { request, output, error, detail, copied } = step;
  return {
    ...step,
    ...(request && { request: privacy.openedObject(request) }),
    output: privacy.opened(output),
    ...(error && { error: privacy.openedError(error) }),
    ...(detail && { detail: privacy.openedObject(detail) }),
    ...(copied && { copied: privacy.openedObject(copied) }),
  };
}

/** The copy must not be written to the database. */
export function openedRun(run: RunEntity, privacy: RunPrivacy): RunEntity {
  const input = privacy.openedObject(run.input);
  const trigger = privacy.openedObject(run.trigger);
  return Object.assign(new RunEntity(), run, { input, trigger, output: privacy.opened(run.output) });
}

export function openedStep(step: RunStepEntity, privacy: RunPrivacy): RunStepEntity {
  const request = openedOrNull(step.request, privacy);
  const detail = openedOrNull(step.detail, privacy);
  const error = step.error && privacy.openedError(step.error);
  return Object.assign(new RunStepEntity(), step, { request, output: privacy.opened(step.output), detail, error });
}

export function openedApproval(approval: ApprovalEntity, privacy: RunPrivacy): ApprovalEntity {
  const request = openedOrNull(approval.request, privacy);
  const answer = openedOrNull(approval.answer, privacy);
  return Object.assign(new ApprovalEntity(), approval, { request, answer, show: privacy.openedObject(approval.show) });
}

function openedOrNull(object: JsonObject | null, privacy: RunPrivacy): JsonObject | null {
  return object && privacy.openedObject(object);
}
