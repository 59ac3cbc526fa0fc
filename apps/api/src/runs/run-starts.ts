import type { Response } from 'express';
import type { DefinitionSource } from '@app/agents';
import {
  type ConsoleUrl,
  presentRun,
  type ReplayRun,
  type RunEntity,
  type StartDraftRun,
  type StartRun,
} from '@app/runs';
import { agentsOf, type Principal } from '@app/workspace';
import { accepted, answered } from '../http/answers.js';
import type { ClaimOf } from '../http/request-decorators.js';
import type { ReplayRunBody, RunResource, StartDraftRunBody, StartRunBody } from './runs.api.js';

/** A request without `input` has the same idempotency claim as a request with the default `{}`. */
export function startRequest(principal: Principal, agentId: string, body: StartRunBody, claimOf: ClaimOf): StartRun {
  const { input, mode, version } = body;
  const claim = claimOf({ input, mode: mode ?? null, version: version ?? null });
  return {
    workspaceId: principal.workspaceId,
    agentId,
    initiator: initiatorOf(principal),
    caller: principal,
    input,
    ...(mode !== undefined && { mode }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

export function draftRequest(principal: Principal, body: StartDraftRunBody, claimOf: ClaimOf): StartDraftRun {
  const { definition, input, mock } = body;
  // A request without mocks has the content that it had before requests could have mocks.
  const claim = claimOf({ definition, input, ...(Object.keys(mock).length > 0 && { mock }) });
  return {
    workspaceId: principal.workspaceId,
    initiator: { email: principal.email, keyKind: principal.kind },
    caller: principal,
    definition: sourceOf(definition),
    narrowedKey: agentsOf(principal) && (principal.limits?.keyId ?? null),
    input,
    mock,
    ...(claim && { idempotency: claim }),
  };
}

function initiatorOf({ email, kind, scopes }: Principal): StartRun['initiator'] {
  return { email, keyKind: kind, mayPromote: scopes.has('agents:promote') };
}

function sourceOf(definition: StartDraftRunBody['definition']): DefinitionSource {
  if (typeof definition === 'string') return { text: definition, format: 'yaml' };
  return { text: JSON.stringify(definition), format: 'json' };
}

/** A request without `tool_results` has the same idempotency claim as a request with the default `recorded`. */
export function replayRequest(principal: Principal, runId: string, body: ReplayRunBody, claimOf: ClaimOf): ReplayRun {
  const { from_step: fromStep, version, mode, tool_results: toolResults } = body;
  const content = { from_step: fromStep ?? null, version: version ?? null, mode, tool_results: toolResults };
  const claim = claimOf(content);
  return {
    workspaceId: principal.workspaceId,
    runId,
    initiator: initiatorOf(principal),
    toolResults,
    mode,
    ...(fromStep !== undefined && { fromStep }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

/**
 * Returns the response body for a started run. Sets `Location`. Sets `Idempotent-Replayed` if an earlier request with
 * the same idempotency key started the run.
 */
export function presentStart(
  response: Response,
  started: { run: RunEntity; replayed: boolean },
  consoleUrl: ConsoleUrl,
): RunResource {
  const { run } = answered(response, started);
  // The response shows the run in its initial state, without approvals. A repeated request gets the same response.
  return accepted(response, `/v1/runs/${run.id}`, presentRun({ run, approvals: [] }, consoleUrl));
}
