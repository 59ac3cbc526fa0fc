import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { Response } from 'express';
import {
  presentRun,
  type ReplayRun,
  type RunEntity,
  type RunIntakeConfig,
  runIntakeConfig,
  type StartRun,
} from '@app/runs';
import type { Principal } from '@app/workspace';
import { accepted, answered } from '../http/answers.js';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { type ClaimOf, CurrentRequest, jsonInput } from '../http/request-decorators.js';
import { validateRequest } from '../http/request-validation.js';
import { ReplayRunBody, RunResource, StartRunBody } from './runs.api.js';

/** What the body of a start asks of the intake. A body that leaves out a default is the same as one that gives it. */
export function startRequest(principal: Principal, agentId: string, body: StartRunBody, claimOf: ClaimOf): StartRun {
  const { input, mode, version } = body;
  const claim = claimOf({ input, mode: mode ?? null, version: version ?? null });
  return {
    workspaceId: principal.workspaceId,
    agentId,
    initiator: { email: principal.email, keyKind: principal.key.kind },
    input,
    ...(mode !== undefined && { mode }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

/** What the body of a replay asks for; of it, too, a default is the same whether it is given or not. */
export function replayRequest(principal: Principal, runId: string, body: ReplayRunBody, claimOf: ClaimOf): ReplayRun {
  const { from_step: fromStep, version, mode, tool_results: toolResults } = body;
  const content = { from_step: fromStep ?? null, version: version ?? null, mode, tool_results: toolResults };
  const claim = claimOf(content);
  return {
    workspaceId: principal.workspaceId,
    runId,
    initiator: { email: principal.email, keyKind: principal.key.kind },
    toolResults,
    mode,
    ...(fromStep !== undefined && { fromStep }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

/** Answers with the run, where to follow it, and whether this very request was answered before. */
export function presentStart(response: Response, started: { run: RunEntity; replayed: boolean }): RunResource {
  const { run } = answered(response, started);
  // As it was when it was accepted, also the second time: it had asked nobody.
  return accepted(response, `/v1/runs/${run.id}`, presentRun({ run, approvals: [] }));
}

/** Bytes around the input. */
const ROOM = 4 * 1024;

/** The input of a run does not belong to the top level of the body. */
function belowInput(name: string): string {
  const shown = JSON.stringify(name.slice(0, 64));
  return `If it is part of the input, put it below \`input\`: {"input": {${shown}: …}}.`;
}

/** Reads the body that starts a run: an input of the size that is allowed, and room for what is around it. */
@Injectable()
export class StartBodyPipe implements PipeTransform<ApiRequest, Promise<StartRunBody>> {
  constructor(@Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig) {}

  /** @throws DomainError `payload_too_large`: the body, or its input as JSON; what is wrong with the body */
  async transform(request: ApiRequest): Promise<StartRunBody> {
    const { maxInputBytes: limit } = this.config;
    const given = parseJsonObject(await readJsonText(request, limit + ROOM));
    const body = validateRequest(StartRunBody, given, 'body', belowInput);
    if (Buffer.byteLength(JSON.stringify(body.input)) > limit) throw tooLarge(limit, 'input');
    return body;
  }
}

/** The body that starts a run. */
export const StartBody = (): ParameterDecorator => CurrentRequest(jsonInput(StartRunBody, true), StartBodyPipe);
