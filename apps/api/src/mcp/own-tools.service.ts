import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  DomainError,
  type ErrorPlace,
  isJsonObject,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  parseDuration,
} from '@app/kernel';
import { hasEnded, RunIntakeService } from '@app/runs';
import type { Principal } from '@app/workspace';
import type { McpExchange } from './mcp-address.js';
import { McpWaitsService } from './mcp-waits.service.js';
import { RunAnswersService } from './run-answers.service.js';

const MAX_WAIT_MILLIS = 50_000;

/** The tools of the service itself: they read and cancel the runs that the member started through this server. */
@Injectable()
export class OwnToolsService {
  constructor(
    private readonly answers: RunAnswersService,
    private readonly waits: McpWaitsService,
    private readonly intake: RunIntakeService,
  ) {}

  /** Returns undefined if the tool is not one of these, or the key lacks its scope. */
  find(
    { scopes }: Principal,
    tool: string,
  ): ((exchange: McpExchange, given: JsonValue) => Promise<CallToolResult>) | undefined {
    if (tool === 'get_run' && scopes.has('runs:read')) return (exchange, given) => this.getRun(exchange, given);
    if (tool === 'cancel_run' && scopes.has('runs:cancel')) return (exchange, given) => this.cancelRun(exchange, given);
    return undefined;
  }

  private async getRun({ principal, gone }: McpExchange, given: JsonValue): Promise<CallToolResult> {
    const { run: runId, wait = '0s' } = checked(given, ['run', 'wait']);
    const millis = parseDuration(wait);
    if (millis === undefined || millis > MAX_WAIT_MILLIS)
      throw refused({ pointer: '/wait', detail: '`wait` must be a duration from `0s` to `50s`.' });
    const read = await this.answers.read(principal, runId);
    if (millis === 0 || hasEnded(read.run.status)) return this.answers.present(principal, read);
    await this.waits.wait({ runId, millis, gone });
    return this.answers.present(principal, await this.answers.read(principal, runId));
  }

  /** The result of a cancelled run is no error here, because the call did what it should. */
  private async cancelRun({ principal }: McpExchange, given: JsonValue): Promise<CallToolResult> {
    const { run: runId } = checked(given, ['run']);
    await this.answers.read(principal, runId);
    await this.intake.cancelRun(principal.workspaceId, runId, { reason: null, actor: principal.email });
    const { isError: _, ...result } = this.answers.present(principal, await this.answers.read(principal, runId));
    return result;
  }
}

/** @throws DomainError `input_invalid` */
function checked(given: JsonValue, names: readonly string[]): { run: string; wait?: string } {
  const args: JsonObject = isJsonObject(given) ? given : {};
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refused({ pointer: jsonPointer([unknown]), detail: 'The tool has no such argument.' });
  const { run, wait } = args;
  if (typeof run !== 'string') throw refused({ pointer: '/run', detail: '`run` must be the id of a run.' });
  if (wait !== undefined && typeof wait !== 'string')
    throw refused({ pointer: '/wait', detail: '`wait` must be a duration.' });
  return { run, ...(wait !== undefined && { wait }) };
}

function refused(place: ErrorPlace): DomainError {
  return new DomainError('input_invalid', `The arguments are not valid: ${place.detail}`, { errors: [place] });
}
