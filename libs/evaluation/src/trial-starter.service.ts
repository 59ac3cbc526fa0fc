import { CompiledVersionsService, type EvaluationEntity } from '@app/agents';
import { newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { RunPrivaciesService } from '@app/runs';
import { NewRunsService } from '@app/runs';
import { evaluationTrigger } from '@app/runs';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { errored, type TrialGrade } from './grade.js';
import { type TrialRun, TrialsRepository } from './trials.repository.js';

type Sources = Awaited<ReturnType<TrialsRepository['traces']>>;

@Injectable()
export class TrialStarterService {
  constructor(
    private readonly trials: TrialsRepository,
    private readonly versions: CompiledVersionsService,
    private readonly newRuns: NewRunsService,
    private readonly privacies: RunPrivaciesService,
  ) {}

  /**
   * Starts at most `limit` pending trials. Returns the ids of their runs, and a verdict: `ok`, or the reason that
   * prevents further runs, such as `stopped` or `archived`. Trials whose input does not match the input schema, or
   * whose case or recorded run no longer exists, are graded immediately, without a run.
   */
  async start(
    evaluation: EvaluationEntity,
    limit: number,
    transaction: Transaction,
  ): Promise<{ verdict: string; started: string[] }> {
    const { workspaceId, id, currency, createdBy: initiator } = evaluation;
    const pending = limit <= 0 ? [] : await this.trials.pending(workspaceId, id, limit, transaction);
    const sources = await this.sourcesOf(evaluation, pending, transaction);
    const made = await Promise.all(pending.map((trial) => this.runOf(evaluation, trial, sources)));
    const runs = made.flatMap((each) => ('run' in each ? [each] : []));
    const unfit = made.flatMap((each) => ('grade' in each ? [{ ...each, costMicros: '0', durationMs: null }] : []));
    await this.trials.grade(id, unfit, transaction);
    if (runs.length === 0) return { verdict: 'ok', started: [] };
    return this.trials.start(evaluation, { initiator, currency, runs }, transaction);
  }

  private async runOf(
    evaluation: EvaluationEntity,
    trial: EvaluationTrialEntity,
    sources: Sources,
  ): Promise<TrialRun | { n: number; grade: TrialGrade }> {
    const { workspaceId, agentId, version: evaluated, baselineVersion, createdBy: email } = evaluation;
    const version = trial.baseline ? (baselineVersion ?? evaluated) : evaluated;
    const subject = await this.subjectOf(evaluation, trial, sources);
    if (!subject)
      return {
        n: trial.n,
        grade: errored('The evaluation case or the recorded run that this trial repeats no longer exists.'),
      };
    const definition = await this.versions.get(workspaceId, agentId, version);
    const { value: filled, errors } = definition.input?.complete(subject.input) ?? { value: subject.input, errors: [] };
    const [problem] = errors;
    if (problem)
      return {
        n: trial.n,
        grade: failed(`The input does not match the input schema of version ${version}: ${problem.detail}`),
      };
    const trigger = evaluationTrigger(trial, evaluated, subject.trigger);
    const request = { workspaceId, agentId, initiator: { email }, input: filled, trigger, version };
    const draft = this.newRuns.prepare(request, {
      id: newId('run'),
      mode: 'test',
      version,
      definition: unlimited(definition),
    });
    const { id: run, input, labels } = draft;
    return { n: trial.n, run, version, trigger: draft.trigger, input, labels, source: trial.sourceRun };
  }

  private async sourcesOf(
    { workspaceId }: EvaluationEntity,
    trials: readonly EvaluationTrialEntity[],
    transaction: Transaction,
  ): Promise<Sources> {
    const ids = trials.flatMap(({ sourceRun }) => (sourceRun === null ? [] : [sourceRun]));
    return ids.length === 0 ? new Map() : this.trials.traces(workspaceId, ids, transaction);
  }

  private async subjectOf(
    { workspaceId, agentId, version }: EvaluationEntity,
    { caseN, sourceRun }: EvaluationTrialEntity,
    sources: Sources,
  ): Promise<Pick<TrialRun, 'input' | 'trigger'> | undefined> {
    if (sourceRun === null) {
      const { evaluation } = await this.versions.get(workspaceId, agentId, version);
      const input = evaluation?.cases[caseN ?? -1]?.input;
      return input && { input, trigger: {} };
    }
    const trace = sources.get(sourceRun);
    if (!trace) return undefined;
    const privacy = this.privacies.opener(trace.run);
    return { input: privacy.openedObject(trace.run.input), trigger: privacy.openedObject(trace.run.trigger) };
  }
}

/**
 * Removes the concurrency rule of the definition, because its key expression may need data that only real triggers
 * have.
 */
function unlimited<Definition extends object>(definition: Definition): Definition & { concurrency: null } {
  return { ...definition, concurrency: null };
}

function failed(error: string): TrialGrade {
  return { result: 'failed', error, assertions: [], differences: [] };
}
