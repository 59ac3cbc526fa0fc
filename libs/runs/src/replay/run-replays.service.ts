import { DomainError, type JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ToolResults } from '../records/recorded-calls.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import type { RunEntity } from '../records/run.entity.js';
import { RunIntakeService } from '../start/run-intake.service.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import { hasEnded } from '../records/run-status.js';
import { RunsRepository } from '../read/runs.repository.js';
import type { StartRun } from '../start/new-runs.service.js';

export interface ReplayRun extends Pick<StartRun, 'workspaceId' | 'initiator' | 'mode' | 'idempotency'> {
  runId: string;
  /** Default: the version that ran. */
  version?: number;
  /**
   * Results recorded before this step are taken over whatever `toolResults` says. A position in the trace, the id of a
   * trace step, or the path of a step, of which the first position counts. Default: none are.
   */
  fromStep?: number | string;
  /**
   * recorded: a call that the replayed run made at the same place, of the same operation and with an equal request has the
   * result that it had then; any other call is treated as in every run of the new run's mode. live: all calls are.
   */
  toolResults: ToolResults;
}

/** Runs again what has run. */
@Injectable()
export class RunReplaysService {
  constructor(
    private readonly intake: RunIntakeService,
    private readonly queries: RunQueriesService,
    private readonly runs: RunsRepository,
    private readonly privacies: RunPrivaciesService,
  ) {}

  /**
   * Starts a new run of the same agent with the same input. Approvals are asked for again in mode `production`, also those
   * before `fromStep`: a person's yes covers one execution.
   * @throws DomainError `not_found`; `unknown_reference` (the run has not ended, its trace has been forgotten, there is no such step or version); and all
   *   that starting a run throws
   */
  async replayRun(request: ReplayRun): Promise<{ run: RunEntity; replayed: boolean }> {
    const { workspaceId, runId, initiator, mode, idempotency, toolResults, fromStep } = request;
    const source = await this.queries.get(workspaceId, runId);
    if (!hasEnded(source.status)) throw notEnded(source);
    if (source.traceForgottenAt !== null && (fromStep !== undefined || toolResults === 'recorded'))
      throw forgotten(source);
    const before = fromStep === undefined ? null : await this.positionOf(source, fromStep);
    // Expressions of the definition see what started the run: all of it stays, but for the type.
    const privacy = this.privacies.opener(source);
    const trigger: JsonObject = {
      ...privacy.openedObject(source.trigger),
      type: 'replay',
      run: source.id,
      tool_results: toolResults,
      from_step: before,
    };
    return this.intake.startRun({
      workspaceId,
      agentId: source.agentId,
      initiator,
      input: privacy.openedObject(source.input),
      ...(mode !== undefined && { mode }),
      ...(idempotency !== undefined && { idempotency }),
      version: request.version ?? source.version,
      trigger,
      replay: { of: source.id, before },
    });
  }

  private async positionOf(run: RunEntity, step: number | string): Promise<number> {
    const n = typeof step === 'number' ? step : await this.positionOfName(run, step);
    if (n !== undefined && n >= 1 && n <= run.stepN) return n;
    const detail = `The run ${run.id} has no step ${JSON.stringify(step)}.`;
    throw new DomainError('unknown_reference', detail, { errors: [{ pointer: '/from_step', detail }] });
  }

  private positionOfName(run: RunEntity, name: string): Promise<number | undefined> | number {
    const prefix = `${run.id}.`;
    const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : this.runs.firstPositionOf(run.workspaceId, run.id, name);
  }
}

function forgotten({ id }: RunEntity): DomainError {
  const detail = `What the run ${id} recorded has been forgotten. Replay it from its beginning with \`tool_results: live\`.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '', detail }] });
}

function notEnded({ id, status }: RunEntity): DomainError {
  const detail = `The run ${id} is ${status}: what it records is not complete. Replay it when it has ended, or cancel it.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '', detail }] });
}
