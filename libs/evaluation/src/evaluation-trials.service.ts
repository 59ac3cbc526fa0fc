import { type CaseCounts, CompiledVersionsService, type EvaluationEntity } from '@app/agents';
import { caseWithFixtures, type KnownFiles } from '@app/definition';
import { fileValuesBelow, type JsonObject, jsonPointer, newId, replaceFileValues } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { evaluationTrigger, NewRunsService, openedRun, RunPrivaciesService, RunStore, type StartRun } from '@app/runs';
import { Injectable } from '@nestjs/common';
import { CaseFilesService } from './case-files.service.js';
import { caseCounts, costOf } from './evaluation-outcome.js';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { errored, type TrialGrade } from './grade.js';
import { TrialGradingService } from './trial-grading.service.js';
import { type TrialRun, TrialsRepository } from './trials.repository.js';

/** An input whose files the trial may use. */
interface Accepted {
  value: JsonObject;
  files: KnownFiles;
  stored: readonly string[];
  granted?: StartRun['files'];
}

interface Subject extends Pick<StartRun, 'input' | 'redaction'>, Pick<TrialRun, 'trigger'> {
  /** The files that the input may name. */
  values: readonly JsonObject[];
}

type Sources = Awaited<ReturnType<TrialsRepository['traces']>>;

/**
 * Operations on the trials of an evaluation. For all methods except {@link cancelRuns}, the caller must hold the lock
 * of the evaluation.
 */
@Injectable()
export class EvaluationTrialsService {
  constructor(
    private readonly trials: TrialsRepository,
    private readonly grading: TrialGradingService,
    private readonly versions: CompiledVersionsService,
    private readonly newRuns: NewRunsService,
    private readonly privacies: RunPrivaciesService,
    private readonly store: RunStore,
    private readonly files: CaseFilesService,
  ) {}

  async gradeEnded(evaluation: EvaluationEntity, transaction: Transaction): Promise<void> {
    const ended = await this.trials.ended(evaluation.workspaceId, evaluation.id, transaction);
    await this.trials.grade(evaluation.id, await this.grading.grade(evaluation, ended, transaction), transaction);
  }

  /**
   * Starts trials until `parallelism` runs of the evaluation are open. Returns the ids of the new runs. Trials whose
   * input does not match the input schema, or whose case or recorded run no longer exists, are graded immediately,
   * without a run.
   */
  async startPending(evaluation: EvaluationEntity, parallelism: number, transaction: Transaction): Promise<string[]> {
    const { workspaceId, id, currency, createdBy: initiator } = evaluation;
    const limit = parallelism - (await this.trials.countUnderWay(workspaceId, id, transaction));
    const pending = limit <= 0 ? [] : await this.trials.pending(workspaceId, id, limit, transaction);
    const sources = await this.sourcesOf(evaluation, pending, transaction);
    const made = await Promise.all(pending.map((trial) => this.runOf(evaluation, trial, sources)));
    const runs = made.flatMap((each) => ('run' in each ? [each] : []));
    const unfit = made.flatMap((each) => ('grade' in each ? [{ ...each, costMicros: '0', durationMs: null }] : []));
    await this.trials.grade(id, unfit, transaction);
    if (runs.length === 0) return [];
    return (await this.trials.start(evaluation, { initiator, currency, runs }, transaction)).started;
  }

  async areGraded({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<boolean> {
    if ((await this.trials.countRunning(workspaceId, id, transaction)) > 0) return false;
    return (await this.trials.pending(workspaceId, id, 1, transaction)).length === 0;
  }

  all({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<EvaluationTrialEntity[]> {
    return this.trials.all(workspaceId, id, transaction);
  }

  async sumUp(
    evaluation: EvaluationEntity,
    transaction: Transaction,
  ): Promise<{ cases: CaseCounts; costMicros: string }> {
    const trials = await this.all(evaluation, transaction);
    return { cases: caseCounts(trials), costMicros: costOf(trials) };
  }

  async cancel({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<void> {
    await this.trials.cancel(workspaceId, id, transaction);
  }

  async cancelRuns({ workspaceId, id, createdBy: actor }: EvaluationEntity): Promise<void> {
    const by = { reason: 'The evaluation was cancelled.', actor };
    for (const runId of await this.trials.openRuns(workspaceId, id)) await this.store.cancel(workspaceId, runId, by);
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
    const accepted = await this.accepted(evaluation, trial, subject, definition.input?.schema);
    if ('grade' in accepted) return accepted;
    const { value, granted } = accepted;
    const { value: filled, errors } = definition.input?.complete(value, undefined, accepted.files) ?? {
      value,
      errors: [],
    };
    const [problem] = errors;
    if (problem) {
      await this.newRuns.inputs.discard(workspaceId, accepted.stored);
      return {
        n: trial.n,
        grade: failed(`The input does not match the input schema of version ${version}: ${problem.detail}`),
      };
    }
    const trigger = evaluationTrigger(trial, evaluated, subject.trigger);
    const { redaction } = subject;
    const request = {
      workspaceId,
      agentId,
      initiator: { email },
      input: filled,
      trigger,
      version,
      redaction,
      files: granted,
    };
    const draft = this.newRuns.prepare(request, {
      id: newId('run'),
      mode: 'test',
      version,
      definition: unlimited(definition),
    });
    const { id: run, input, labels, files: references } = draft;
    return {
      n: trial.n,
      run,
      version,
      trigger: draft.trigger,
      input,
      labels,
      files: references,
      source: trial.sourceRun,
    };
  }

  /** The input of a case may name files that the evaluation keeps. Inline content becomes a stored file. */
  private async accepted(
    evaluation: EvaluationEntity,
    { n, sourceRun }: EvaluationTrialEntity,
    { input: value, values }: Subject,
    schema: JsonObject | undefined,
  ): Promise<Accepted | { n: number; grade: TrialGrade }> {
    if (sourceRun !== null) return { value, files: filesOf(values), stored: [] };
    const places = fileValuesBelow(value);
    const known: Awaited<ReturnType<CaseFilesService['heldBy']>> =
      places.length === 0 ? new Map() : await this.files.heldBy(evaluation);
    const unknown = places.find(({ id }) => !known.has(id));
    if (unknown) {
      const pointer = jsonPointer(['input', ...unknown.path, 'file']);
      return { n, grade: failed(`The file was deleted: ${pointer}.`) };
    }
    const offered = { workspaceId: evaluation.workspaceId, member: 'input', value, schema, caller: null, known };
    const accepted = await this.newRuns.inputs.accept({ ...offered, source: { type: 'upload' } });
    return { ...accepted, granted: accepted.files };
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
    { workspaceId, agentId, version, fixtures }: EvaluationEntity,
    { caseN, sourceRun }: EvaluationTrialEntity,
    sources: Sources,
  ): Promise<Subject | undefined> {
    if (sourceRun === null) {
      const { evaluation } = await this.versions.get(workspaceId, agentId, version);
      const one = evaluation?.cases[caseN ?? -1];
      if (!one) return undefined;
      const used = Object.fromEntries(one.fixtures.flatMap(({ name }) => valueOf(fixtures, name)));
      const { input } = caseWithFixtures(one, (name) => used[name]);
      return { input, trigger: one.fixtures.length > 0 ? { fixtures: used } : {}, values: Object.values(used) };
    }
    const trace = sources.get(sourceRun);
    if (!trace) return undefined;
    const privacy = this.privacies.opener(trace.run);
    const { input, trigger } = openedRun(trace.run, privacy);
    return { input, trigger, values: recordedFiles(input), redaction: this.privacies.inherited(trace.run) };
  }
}

function valueOf(fixtures: EvaluationEntity['fixtures'], name: string): [string, JsonObject][] {
  const value = fixtures[name];
  return value ? [[name, { ...value }]] : [];
}

/** Files of a recorded input. Their members were written from the rows when the run was accepted. */
function recordedFiles(input: JsonObject): JsonObject[] {
  const values: JsonObject[] = [];
  replaceFileValues(input, (named) => {
    values.push(named);
    return undefined;
  });
  return values;
}

function filesOf(values: readonly JsonObject[]): ReadonlyMap<string, { contentType: string; bytes: number }> {
  return new Map(
    values.map(({ file, content_type: type, bytes }) => [
      typeof file === 'string' ? file : '',
      { contentType: typeof type === 'string' ? type : '', bytes: Number(bytes) },
    ]),
  );
}

function unlimited<Definition extends object>(definition: Definition): Definition & { concurrency: null } {
  return { ...definition, concurrency: null };
}

function failed(error: string): TrialGrade {
  return { result: 'failed', error, assertions: [], differences: [] };
}
