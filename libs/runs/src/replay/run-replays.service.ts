import { CompiledVersionsService } from '@app/agents';
import { RunFilesService } from '@app/files';
import { DomainError, fileValuesBelow, type JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ToolResults } from '../records/recorded-calls.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import { fileRunOf } from '../records/file-run.js';
import { type FirstStep, pathsOf } from '../records/first-step.js';
import type { RunEntity } from '../records/run.entity.js';
import type { Creation } from '../records/run-commands.js';
import { modeOf, RunIntakeService } from '../start/run-intake.service.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import { hasEnded } from '../records/run-status.js';
import { RunsRepository } from '../read/runs.repository.js';
import type { StartRun } from '../start/new-runs.service.js';

export interface ReplayRun extends Pick<StartRun, 'workspaceId' | 'initiator' | 'mode' | 'idempotency'> {
  runId: string;
  version?: number;
  /**
   * It copies the results that were recorded before this step, with either value of `toolResults`. If several steps
   * have this path, or the path is that of a block, the first of them counts.
   */
  fromStep?: number | string;
  /**
   * `recorded`: a call gets the recorded result if the replayed run has a call with the same path, the same operation
   * and an equal request. A failure is no such result in mode `production`, nor after `fromStep`. Other calls are made
   * as usual in the mode of the new run. `live`: no call gets a recorded result.
   */
  toolResults: ToolResults;
}

@Injectable()
export class RunReplaysService {
  constructor(
    private readonly intake: RunIntakeService,
    private readonly queries: RunQueriesService,
    private readonly runs: RunsRepository,
    private readonly privacies: RunPrivaciesService,
    private readonly versions: CompiledVersionsService,
    private readonly files: RunFilesService,
  ) {}

  /**
   * In mode `production`, people must approve again, even before `fromStep`, because an approval is valid for only one
   * run.
   * @throws DomainError `not_found`; `unknown_reference` (the run has not ended, its trace was purged, its results are
   * those of mode `test` and the replay is in production, or the step or version does not exist); and the errors of
   * starting a run
   */
  async replayRun(request: ReplayRun): Promise<{ run: RunEntity; replayed: boolean }> {
    return this.intake.startRun(await this.startOf(request));
  }

  /** The caller commits it (see {@link RunIntakeService.prepareRun}). */
  async prepareReplay(request: ReplayRun): Promise<Creation> {
    return this.intake.prepareRun(await this.startOf(request));
  }

  private async startOf(request: ReplayRun): Promise<StartRun> {
    const { workspaceId, runId, initiator, mode, idempotency, toolResults, fromStep } = request;
    const source = await this.queries.get(workspaceId, runId);
    if (!hasEnded(source.status)) throw notEnded(source);
    if (modeOf(request) === 'production' && source.mode === 'test') requireNoResults(source, request);
    if (source.traceForgottenAt !== null && (fromStep !== undefined || toolResults === 'recorded'))
      throw tracePurged(source);
    const first = fromStep === undefined ? null : await this.firstStep(source, fromStep);
    // The expressions of the definition may read the trigger. Therefore all its fields except the type are copied.
    const privacy = this.privacies.opener(source);
    const trigger: JsonObject = {
      ...privacy.openedObject(source.trigger),
      type: 'replay',
      run: source.id,
      tool_results: toolResults,
      from_step: first?.n ?? null,
      from_path: first?.path ?? null,
    };
    const input = privacy.openedObject(source.input);
    const ids = fileValuesBelow(input).map(({ id }) => id);
    return {
      workspaceId,
      agentId: source.agentId,
      initiator,
      input,
      files: await this.files.usable(workspaceId, fileRunOf(source), ids),
      redaction: this.privacies.inherited(source),
      ...(mode !== undefined && { mode }),
      ...(idempotency !== undefined && { idempotency }),
      version: request.version ?? source.version,
      trigger,
      replay: { of: source.id, first },
    };
  }

  private async firstStep(run: RunEntity, step: number | string): Promise<FirstStep> {
    const n = typeof step === 'number' ? step : await this.positionOf(run, step);
    if (n === undefined || n < 1 || n > run.stepN) {
      const detail = `The run ${run.id} has no step ${JSON.stringify(step)}.`;
      throw new DomainError('unknown_reference', detail, { errors: [{ pointer: '/from_step', detail }] });
    }
    const isPath = typeof step === 'string' && positionIn(run, step) === undefined;
    const path = isPath ? step : await this.runs.pathAt(run.workspaceId, run.id, n);
    // The part after # belongs to the approval of a call or to the reconciliation of its outcome.
    const [own = ''] = (path ?? '').split('#');
    return { n, path: own === '' ? null : own };
  }

  private async positionOf(run: RunEntity, step: string): Promise<number | undefined> {
    const { workspaceId, agentId, version } = run;
    const n = positionIn(run, step);
    if (n !== undefined) return n;
    const paths = pathsOf(await this.versions.get(workspaceId, agentId, version), step);
    return this.runs.firstPositionOf(workspaceId, run.id, paths);
  }
}

function positionIn({ id }: RunEntity, step: string): number | undefined {
  const prefix = `${id}.`;
  const digits = step.startsWith(prefix) ? step.slice(prefix.length) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

function tracePurged({ id }: RunEntity): DomainError {
  const detail = `Retention has purged the trace of the run ${id}. Replay it from its beginning with \`tool_results: live\`.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '', detail }] });
}

/**
 * A replay in mode `production` must not act on results of a run in mode `test`: writes are simulated there, and the
 * trials of an evaluation have mocked responses.
 */
function requireNoResults({ id }: RunEntity, { fromStep, toolResults }: ReplayRun): void {
  if (fromStep === undefined && toolResults === 'live') return;
  const pointer = fromStep === undefined ? '/tool_results' : '/from_step';
  const detail =
    `The run ${id} was in mode \`test\`, so its results may be simulated. A replay in mode \`production\` cannot use them. ` +
    'Replay the run in mode `test`, or with `tool_results: live` and without `from_step`.';
  throw new DomainError('unknown_reference', detail, { errors: [{ pointer, detail }] });
}

function notEnded({ id, status }: RunEntity): DomainError {
  const detail = `The run ${id} is ${status}: its trace is not complete. Replay it when it has ended, or cancel it.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '', detail }] });
}
