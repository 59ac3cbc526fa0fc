import { CompiledVersionsService, type EvaluatedVersion, type EvaluationEntity, EvaluationsService } from '@app/agents';
import type { CompiledDefinition, CompiledEvaluation } from '@app/definition';
import { DomainError, type Page, type PageRequest } from '@app/kernel';
import { SnapshotsService } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { caseCounts } from './evaluation-outcome.js';
import { EvaluationLifecycleService } from './evaluation-lifecycle.service.js';
import { EvaluationSupervisorService } from './evaluation-supervisor.service.js';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { TrialsRepository } from './trials.repository.js';

export interface EvaluationWithTrials {
  evaluation: EvaluationEntity;
  trials: EvaluationTrialEntity[];
}

/**
 * Maximum number of trials on one page of evaluations. A single evaluation can have more trials: the number of cases
 * times the number of repetitions, doubled by a baseline.
 */
const MAX_TRIALS_OF_A_PAGE = 10_000;

@Injectable()
export class VersionEvaluationsService {
  constructor(
    private readonly evaluations: EvaluationsService,
    private readonly versions: CompiledVersionsService,
    private readonly lifecycle: EvaluationLifecycleService,
    private readonly supervisor: EvaluationSupervisorService,
    private readonly trials: TrialsRepository,
    private readonly snapshots: SnapshotsService,
  ) {}

  /**
   * Starts an evaluation of the version. If the version has an open evaluation, returns the open evaluation with
   * `created: false`.
   * @throws DomainError `not_found`, `definition_invalid` (no evaluation set), `unknown_reference` (a fixture), `input_invalid` (a
   * file), `agent_archived`, `workspace_stopped`, `unavailable`, and the errors of an idempotency claim
   */
  async evaluate(
    actor: Principal,
    agentId: string,
    version: number,
    claim?: IdempotencyClaim,
  ): Promise<EvaluationWithTrials & { created: boolean; replayed: boolean }> {
    const { workspaceId } = actor;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const { fromRuns } = evaluationSet(definition, version);
    const recordedRuns = fromRuns ? await this.trials.recordedRuns(workspaceId, agentId, fromRuns) : [];
    const { evaluation, created, replayed } = await this.lifecycle.startEvaluation(
      actor,
      { workspaceId, agentId, version },
      { definition, recordedRuns },
      claim,
    );
    if (created) await this.supervisor.advance(workspaceId, evaluation.id);
    return { ...(await this.get(workspaceId, evaluation.id)), created, replayed };
  }

  async get(workspaceId: string, id: string): Promise<EvaluationWithTrials> {
    const [evaluation, trials] = await this.snapshots.read(() =>
      Promise.all([this.evaluations.get(workspaceId, id), this.trials.all(workspaceId, id)]),
    );
    return withTrials(evaluation, trials);
  }

  /**
   * Lists evaluations of a version with their trials. A page contains at most {@link MAX_TRIALS_OF_A_PAGE} trials, so
   * it may contain fewer evaluations than requested. An evaluation that alone has more trials gets a page of its own.
   * @throws DomainError `not_found` for the agent or the version
   */
  async list(evaluated: EvaluatedVersion, page: PageRequest): Promise<Page<EvaluationWithTrials>> {
    const { data: found, ...rest } = await this.evaluations.list(evaluated, page);
    const ids = found.map(({ id }) => id);
    const limit = MAX_TRIALS_OF_A_PAGE + 1;
    const trials = await this.trials.ofSeveral(evaluated.workspaceId, ids, { order: page.order, limit });
    const byId = new Map(ids.map((id): [string, EvaluationTrialEntity[]] => [id, []]));
    for (const trial of trials) byId.get(trial.evaluationId)?.push(trial);
    const data = found.map((evaluation) => withTrials(evaluation, byId.get(evaluation.id) ?? []));
    const beyond = trials[MAX_TRIALS_OF_A_PAGE]?.evaluationId;
    if (beyond === undefined) return { data, ...rest };
    const whole = data.slice(0, ids.indexOf(beyond));
    // A page contains at least one evaluation, because clients would take an empty page for the end of the list.
    if (whole.length === 0) whole.push(await this.get(evaluated.workspaceId, beyond));
    const last = whole.at(-1)?.evaluation.id;
    return last === undefined || whole.length === data.length ? { data: whole, ...rest } : { data: whole, last };
  }

  /**
   * An ended evaluation does not change.
   * @throws DomainError `not_found`
   */
  async cancel(actor: { workspaceId: string; email: string }, id: string): Promise<EvaluationWithTrials> {
    await this.lifecycle.cancelEvaluation(actor, id);
    await this.supervisor.advance(actor.workspaceId, id);
    return this.get(actor.workspaceId, id);
  }
}

function withTrials(evaluation: EvaluationEntity, trials: EvaluationTrialEntity[]): EvaluationWithTrials {
  // The stored counts of an open evaluation date from its start, so the current counts are computed from the trials.
  if (!evaluation.endedAt) evaluation.cases = caseCounts(trials);
  return { evaluation, trials };
}

function evaluationSet({ evaluation }: CompiledDefinition, version: number): CompiledEvaluation {
  if (evaluation && (evaluation.cases.length > 0 || evaluation.fromRuns)) return evaluation;
  const detail = `Version ${version} has no evaluation set. Add \`evaluation\` with \`cases\` or \`from_runs\` to the definition.`;
  throw new DomainError('definition_invalid', detail, { errors: [{ pointer: '/evaluation', detail }] });
}
