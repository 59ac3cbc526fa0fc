import { type EvaluatedVersion, type EvaluationEntity, EvaluationsService } from '@app/agents';
import type { CompiledDefinition, PromotionGate } from '@app/definition';
import { DomainError, newId } from '@app/kernel';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { StorageAlarmService, type Transaction } from '@app/platform/database';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type Principal,
  WorkspaceStore,
} from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import type { NamedFiles } from './case-files.service.js';
import { caseCounts } from './evaluation-outcome.js';
import { EvaluationRunnerService } from './evaluation-runner.service.js';
import { type PlannedTrial, TrialsRepository } from './trials.repository.js';

interface Actor {
  workspaceId: string;
  email: string;
}

interface PlannedEvaluation {
  definition: CompiledDefinition;
  trials: readonly PlannedTrial[];
  named: NamedFiles;
}

@Injectable()
export class EvaluationLifecycleService {
  constructor(
    private readonly requests: IdempotencyStore,
    private readonly evaluations: EvaluationsService,
    private readonly trials: TrialsRepository,
    private readonly runner: EvaluationRunnerService,
    private readonly audit: AuditLogService,
    private readonly workspaces: WorkspaceStore,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
    private readonly storage: StorageAlarmService,
  ) {}

  /**
   * If the version already has an open evaluation, returns that evaluation and records nothing.
   * @param recordedRuns the recorded runs that the evaluation repeats
   * @throws DomainError `workspace_stopped`, `unknown_reference` (a fixture), `input_invalid` (a file that the actor may
   * not use), and `unavailable` while the disk of the database is full
   */
  async startEvaluation(
    actor: Principal,
    evaluated: EvaluatedVersion,
    { definition, recordedRuns }: { definition: CompiledDefinition; recordedRuns: readonly string[] },
    claim?: IdempotencyClaim,
  ): Promise<{ evaluation: EvaluationEntity; created: boolean; replayed: boolean }> {
    const { workspaceId, agentId, version } = evaluated;
    const compares = comparesWithProduction(definition.evaluation?.gate ?? null);
    this.storage.assertOff();
    if ((await this.workspaces.get(workspaceId)).state === 'stopped') throw stopped();
    const named = await this.runner.files.namedIn(definition, actor);
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const { productionVersion } = await this.evaluations.lockAgent(workspaceId, agentId, transaction);
      const open = await this.evaluations.findOpen(evaluated, transaction);
      if (open) return { evaluation: open, created: false };
      const baselineVersion = compares ? productionVersion : null;
      const trials = plannedTrials(definition, recordedRuns, compares && productionVersion !== version);
      const evaluation = await this.add(
        actor,
        { ...evaluated, baselineVersion },
        { definition, trials, named },
        transaction,
      );
      return { evaluation, created: true };
    });
    return { ...result, replayed };
  }

  /**
   * An ended evaluation does not change.
   * @throws DomainError `not_found`
   */
  async cancelEvaluation(actor: Actor, id: string): Promise<void> {
    const { workspaceId } = actor;
    await this.evaluations.get(workspaceId, id);
    await this.runner.cancelOpen(workspaceId, id, (evaluation, transaction) => {
      const detail = { version: evaluation.version, evaluation: id };
      const target = evaluation.agentId;
      return this.audit.record(actor, { action: 'evaluation.cancel', target, detail }, transaction);
    });
  }

  private async add(
    actor: Actor,
    { baselineVersion, ...evaluated }: EvaluatedVersion & { baselineVersion: number | null },
    { definition, trials, named }: PlannedEvaluation,
    transaction: Transaction,
  ): Promise<EvaluationEntity> {
    const { currency } = this.config;
    const id = newId('evaluation');
    const cases = caseCounts(
      trials.map((trial) => ({ ...trial, status: 'pending', costMicros: '0', judgeCostMicros: '0', durationMs: null })),
    );
    const fixtures = await this.runner.files.hold({ ...evaluated, id }, definition, named, transaction);
    const record = { id, ...evaluated, baselineVersion, cases, fixtures, currency, createdBy: actor.email };
    const evaluation = await this.evaluations.add(record, transaction);
    await this.trials.insert(evaluation, trials, transaction);
    const detail = { version: evaluated.version, evaluation: evaluation.id };
    await this.audit.record(actor, { action: 'agent.evaluate', target: evaluated.agentId, detail }, transaction);
    return evaluation;
  }
}

function comparesWithProduction(gate: PromotionGate | null): boolean {
  if (!gate) return false;
  return [gate.maxRegressions, gate.maxCostIncrease, gate.maxLatencyIncrease].some((limit) => limit !== null);
}

/** If `withBaseline` is true, plans the same trials a second time, for the production version. */
export function plannedTrials(
  { evaluation }: CompiledDefinition,
  recordedRuns: readonly string[],
  withBaseline: boolean,
): PlannedTrial[] {
  const { cases = [], trials = 1 } = evaluation ?? {};
  const subjects = [
    ...cases.map(({ name }, caseN) => ({ caseName: name, caseN, sourceRun: null, trials })),
    ...recordedRuns.map((run) => ({ caseName: run, caseN: null, sourceRun: run, trials: 1 })),
  ];
  const rounds = (baseline: boolean): Omit<PlannedTrial, 'n'>[] =>
    subjects.flatMap(({ trials: times, ...subject }) =>
      Array.from({ length: times }, (_, round) => ({ ...subject, trial: round + 1, baseline })),
    );
  return [...rounds(false), ...(withBaseline ? rounds(true) : [])].map((trial, index) => ({ n: index + 1, ...trial }));
}

function stopped(): DomainError {
  return new DomainError(
    'workspace_stopped',
    'The workspace is stopped. Evaluate the version again after an admin has resumed the workspace.',
  );
}
