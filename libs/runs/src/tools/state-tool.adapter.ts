import { MAX_STATE_VALUE, type StateTool } from '@app/definition';
import { DomainError, isJsonObject, type JsonObject, type JsonValue, parseDuration } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';
import { summaryText } from '../calls/recorded-value.js';
import { presentAbsence, presentEntry } from '../state/state.service.js';
import { MAX_KEYS, StateStore, type StateView, type StateWrite, type WritingCall } from '../state/state.store.js';
import type { ToolAdapter } from './tool-adapter.js';

const PAGE = 25;

/** It matches the schema of the operation. */
interface StateRequest {
  key: string;
  value: JsonValue;
  ttlMs: number | null;
  ifVersion: number | null;
  by: number;
}

/**
 * A run in mode `test` writes to its own copy of the state. Each write takes effect once, even if its call is repeated.
 */
@Injectable()
export class StateToolAdapter implements ToolAdapter<StateTool> {
  constructor(private readonly store: StateStore) {}

  async call(tool: StateTool, call: PreparedCall): Promise<ToolCallResult> {
    const problem = problemOf(call.request);
    if (problem !== undefined) return refused(`${call.operation.fullName}: ${problem}`);
    if (!call.mayStart()) return { kind: 'not_started' };
    try {
      return await this.carryOut(viewOf(tool, call), call);
    } catch (error) {
      // The write may have been committed although its response was lost. A repeated call then returns the recorded
      // result.
      if (error instanceof DomainError && error.kind === 'unavailable') return { kind: 'not_started' };
      throw error;
    }
  }

  private async carryOut(view: StateView, call: PreparedCall): Promise<ToolCallResult> {
    const { operation, request, origin } = call;
    const { key, ...values } = stateRequest(request);
    const writing: WritingCall = { runId: origin.runId, attempt: origin.attempt, path: origin.step };
    switch (operation.name) {
      case 'get':
        return this.get(view, key, request.default ?? null);
      case 'list':
        return this.list(view, call);
      case 'put': {
        const write = await this.store.putEntry(view, writing, { key, ...values });
        return outcomeOf(write, call, (done) => presentEntry({ ...done, key, value: values.value }));
      }
      case 'increment': {
        const write = await this.store.increment(view, writing, { key, ...values });
        return outcomeOf(write, call, (done) => presentEntry({ ...done, key }));
      }
      case 'delete': {
        const write = await this.store.deleteEntry(view, writing, { key, ...values });
        return outcomeOf(write, call, (done) => ({ deleted: done.value }));
      }
      default:
        return refused(`The tool has no operation ${operation.fullName}.`, 'internal_error');
    }
  }

  private async get(view: StateView, key: string, byDefault: JsonValue): Promise<ToolCallResult> {
    const entry = await this.store.readEntry(view, key);
    return answered(entry ? presentEntry(entry) : presentAbsence(key, byDefault));
  }

  private async list(view: StateView, { request, operation }: PreparedCall): Promise<ToolCallResult> {
    const { prefix = '', limit = PAGE, cursor = null } = request;
    const after = cursor === null ? '' : keyOfCursor(cursor);
    if (after === undefined || typeof prefix !== 'string' || typeof limit !== 'number')
      return refused(`${operation.fullName}: The cursor is not a next_cursor of an earlier page.`);
    const { data, last } = await this.store.readPage(view, { prefix, after, limit });
    return answered({ data: data.map(presentEntry), next_cursor: last === null ? null : cursorOf(last) });
  }
}

function viewOf({ scope }: StateTool, { workspaceId, context, mode, origin, stateBegin }: PreparedCall): StateView {
  const agentId = isJsonObject(context.agent) && typeof context.agent.id === 'string' ? context.agent.id : '';
  const ownerId = scope === 'agent' ? agentId : workspaceId;
  const isTest = mode === 'test';
  return { workspaceId, ownerId, copyOf: isTest ? origin.runId : null, begin: isTest ? stateBegin : null };
}

function stateRequest({ key, value, ttl, if_version, by }: JsonObject): StateRequest {
  return {
    key: typeof key === 'string' ? key : '',
    value: value ?? null,
    ttlMs: typeof ttl === 'string' ? (parseDuration(ttl) ?? null) : null,
    ifVersion: typeof if_version === 'number' ? if_version : null,
    by: typeof by === 'number' ? by : 1,
  };
}

function problemOf({ key, prefix, value, ttl }: JsonObject): string | undefined {
  if ([key, prefix].some((text) => typeof text === 'string' && text.includes('\0')))
    return 'A key must not contain the character NUL.';
  if (typeof ttl === 'string' && parseDuration(ttl) === 0)
    return '`ttl` must be more than 0. Leave it out, or delete the entry.';
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_STATE_VALUE) return undefined;
  return `The value has ${bytes} bytes of JSON; at most ${MAX_STATE_VALUE} bytes are allowed. Split it over several keys.`;
}

type Done = Extract<StateWrite, { verdict: 'ok' | 'repeated' }>;

function outcomeOf(write: StateWrite, call: PreparedCall, present: (done: Done) => JsonObject): ToolCallResult {
  const { fullName } = call.operation;
  switch (write.verdict) {
    case 'ok':
    case 'repeated':
      return answered(present(write));
    case 'fenced':
      return { kind: 'not_started' };
    case 'conflict':
      return conflict(call, write.version);
    case 'full':
      return refused(
        `${fullName}: The state has ${MAX_KEYS} keys, which is the maximum. Delete keys, or store them with \`ttl\`.`,
      );
    case 'no_number':
      return refused(
        `${fullName}: The value is not a number that can be incremented. Set a number with \`put\` first.`,
      );
  }
}

function conflict({ operation, request }: PreparedCall, version: number): ToolCallResult {
  const is = version === 0 ? 'does not exist' : `has version ${version}`;
  const wanted = request.if_version === 0 ? 'that it does not exist' : `version ${JSON.stringify(request.if_version)}`;
  const message = `${operation.fullName}: The entry ${is}, but the call requires ${wanted}. Read the entry again and repeat the change.`;
  const detail = { response_summary: message };
  return { kind: 'refused', code: 'state_conflict', message, detail, body: { version }, permanent: true };
}

function answered(output: JsonObject): ToolCallResult {
  return { kind: 'answered', output, response: { body: output }, detail: { response_summary: summaryText(output) } };
}

function cursorOf(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function keyOfCursor(cursor: JsonValue): string | undefined {
  if (typeof cursor !== 'string') return undefined;
  const key = Buffer.from(cursor, 'base64url').toString();
  return key !== '' && !key.includes('\0') && cursorOf(key) === cursor ? key : undefined;
}
