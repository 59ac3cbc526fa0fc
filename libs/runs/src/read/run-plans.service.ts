import { CompiledVersionsService } from '@app/agents';
import { Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '@app/kernel';
import { learnRecorded } from '../privacy/private-run-store.js';
import { openedRun, openedStep, RunPrivaciesService } from '../privacy/run-privacies.service.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import { shownObject } from '../privacy/sealed-value.js';
import { recordedPlan } from '../records/recorded-plan.js';
import { type PlanCondition, type PlanStep, PlanSteps } from './plan-steps.js';
import { RunQueriesService } from './run-queries.service.js';
import { RunsRepository } from './runs.repository.js';

/** Traces with more are not read into memory. Postgres stores large values compressed. */
const MAX_STORED_BYTES = 16 * 1024 * 1024;
/** About a second of computing, between which other requests are answered. */
const MAX_TURNS = 100;
const MAX_SHOWN = 1_000;

export interface RunPlan {
  run: string;
  steps: PlanStep[];
  isComplete: boolean;
  /** Whether values are missing because the definition redacts what cannot be found in them. */
  isRedacted: boolean;
}

/** Computes from the trace what the plan of a run decided. The same plan and trace always give the same decisions. */
@Injectable()
export class RunPlansService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly runs: RunsRepository,
    private readonly versions: CompiledVersionsService,
    private readonly privacies: RunPrivaciesService,
  ) {}

  /** @throws DomainError `not_found` */
  async get(workspaceId: string, runId: string): Promise<RunPlan> {
    const stored = await this.queries.get(workspaceId, runId);
    const nothing = { run: runId, steps: [], isComplete: false, isRedacted: false };
    if ((await this.runs.storedBytes(workspaceId, runId)) > MAX_STORED_BYTES) return nothing;
    const definition = await this.versions.get(workspaceId, stored.agentId, stored.version);
    const privacy = this.privacies.ofRun(stored, definition);
    const { steps: trace } = await this.queries.trace(workspaceId, runId);
    const run = openedRun(stored, privacy);
    const steps = trace.map((step) => openedStep(step, privacy));
    learnRecorded(privacy, { input: run.input, trigger: run.trigger, steps });
    const observer = new PlanSteps();
    const gave = (id: string, output: JsonValue): void => privacy.trackValue(output, ['steps', id, 'output']);
    const { isComplete } = await recordedPlan(definition, run, steps, { observer, gave, maxTurns: MAX_TURNS });
    const isRedacted = privacy.hidesMessages;
    const shown = observer.all.map((step) => ({
      ...step,
      conditions: step.conditions.map((condition) => shownCondition(condition, privacy)),
    }));
    return { run: runId, steps: shown, isComplete, isRedacted };
  }
}

function shownCondition(condition: PlanCondition, privacy: RunPrivacy): PlanCondition {
  if (privacy.hidesMessages) return { ...condition, values: {} };
  return { ...condition, values: shortened(shownObject(privacy.sealedShow(condition.values))) };
}

/** A long value is replaced by the beginning of its JSON. */
function shortened(values: JsonObject): JsonObject {
  const entries = Object.entries(values).map(([path, value]) => {
    const text = JSON.stringify(value);
    return [path, text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : value] as const;
  });
  return Object.fromEntries(entries);
}
