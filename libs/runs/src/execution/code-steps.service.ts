import {
  DomainError,
  hasTooManyValues,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_VALUES,
} from '@app/kernel';
import { CodePool, type CodePoolSettings, type CodeResult, SandboxUnavailable } from '@app/platform/sandbox';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isStorableDepth, storable, truncated } from '../calls/recorded-value.js';
import { SecretRedaction } from '@app/platform/observability';
import type { CodeCall, Outcome } from '../interpreter/plan.js';
import type { RunErrorCode } from '../interpreter/run-error.js';
import type { StepNote } from '../records/run-commands.js';
import { type RecordedAnswersConfig, recordedAnswersConfig } from '../tools/recorded-answers.config.js';

export interface ExecutedCode {
  outcome: Outcome;
  note: StepNote;
}

const LIMITS: Readonly<Record<Extract<CodeResult, { kind: 'limit' }>['limit'], string>> = {
  memory: 'The code needs more memory than `limits.memory` allows.',
  time: 'The code took longer than `limits.time` allows.',
  result: 'The result of the code is larger than MAX_RECORDED_BYTES allows.',
};
const TOO_MANY_VALUES = `The result of the code has more than ${MAX_JSON_VALUES} items and members.`;

/** It uses at most one thread for each core. */
@Injectable()
export class CodeStepsService implements OnApplicationShutdown {
  private readonly pool: CodePool;
  private readonly redaction = new SecretRedaction([]);

  constructor(@Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig) {
    this.pool = new CodePool(CodeStepsService.settings);
  }

  static settings: CodePoolSettings = {};

  /**
   * Code has no external effects, so it may be executed again if its result was not recorded.
   * @throws DomainError `unavailable` if no thread can start.
   */
  async executeCode(call: CodeCall, workspaceId: string, signal: AbortSignal): Promise<ExecutedCode> {
    const { maxRecordedBytes } = this.config;
    const { path, stepId, source, limits } = call;
    const input = JSON.stringify(call.input);
    const result = await this.resultOf(
      {
        source,
        input,
        memoryBytes: limits.memoryBytes,
        millis: limits.timeMs,
        maxResultBytes: maxRecordedBytes,
        owner: workspaceId,
      },
      signal,
    );
    const isLong = Buffer.byteLength(input) > maxRecordedBytes || hasTooManyValues(call.input);
    const request = isLong ? truncated(Buffer.from(input), this.redaction, maxRecordedBytes) : objectOf(call.input);
    const note = { path, type: 'code' as const, request, detail: { duration_ms: result.millis } };
    const read = outputOf(result, source);
    if ('output' in read)
      return { outcome: { ok: true, output: read.output }, note: { ...note, state: 'succeeded', output: read.output } };
    const error = { ...read, step: stepId, permanent: true };
    return { outcome: { ok: false, error, tries: 1 }, note: { ...note, state: 'failed', error } };
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }

  private async resultOf(request: Parameters<CodePool['execute']>[0], signal: AbortSignal): Promise<CodeResult> {
    try {
      return await this.pool.execute(request, signal);
    } catch (error) {
      if (!(error instanceof SandboxUnavailable)) throw error;
      throw new DomainError('unavailable', 'Code cannot be executed at the moment. Retry later.', { cause: error });
    }
  }
}

function outputOf(result: CodeResult, source: string): { output: JsonValue } | { code: RunErrorCode; message: string } {
  if (result.kind === 'limit') return { code: 'code_limit', message: LIMITS[result.limit] };
  if (result.kind === 'error') {
    const { line } = result;
    const message = result.message.replace(/\.$/, '');
    return {
      code: 'code_error',
      message: `The code failed in line ${line ?? exportLine(source)} of \`source\`: ${message}.`,
    };
  }
  const value = JSON.parse(result.json) as JsonValue;
  if (hasTooManyValues(value)) return { code: 'code_limit', message: TOO_MANY_VALUES };
  if (isStorableDepth(value)) return { output: storable(value) };
  return {
    code: 'code_error',
    message: `The code failed in line ${exportLine(source)} of \`source\`: the result is nested too deeply to be recorded.`,
  };
}

/**
 * Returns the line on which the default export begins. An error message contains it if the line of the error is
 * unknown.
 */
function exportLine(source: string): number {
  const at = Math.max(0, source.search(/\bexport\s+default\b|\bas\s+default\b/));
  return source.slice(0, at).split('\n').length;
}

function objectOf(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
