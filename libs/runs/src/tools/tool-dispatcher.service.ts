import type { CompiledDefinition, CompiledTool } from '@app/definition';
import { DomainError, hasTooManyValues, invariant } from '@app/kernel';
import { SecretsService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { recordable, truncated } from '../calls/recorded-value.js';
import { SecretRedaction } from '@app/platform/observability';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { FileLinkTokensService } from './file-link-tokens.service.js';
import { callWith, TOOL_ADAPTERS, type ToolAdapters } from './tool-adapter.js';
import { refused, type ToolCall, type ToolCallResult } from '../calls/tool-call.js';

/** Tools that record their request as it is. The marks of links in it stay, and later calls put the tokens in. */
const RECORDING: readonly CompiledTool['kind'][] = ['agent', 'knowledge', 'state'];

/**
 * Reads the secrets immediately before the call and redacts them in the result, so that only this class and the
 * adapters have the values of the secrets. The caller has evaluated the policies and recorded the intent.
 */
@Injectable()
export class ToolDispatcherService {
  constructor(
    @Inject(TOOL_ADAPTERS) private readonly adapters: ToolAdapters,
    private readonly secrets: SecretsService,
    private readonly links: FileLinkTokensService,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  async callTool(definition: CompiledDefinition, call: ToolCall): Promise<ToolCallResult> {
    const { operation, mode } = call;
    invariant(
      mode !== 'test' || operation.scope === 'read' || operation.isContained === true,
      'a write of a run in mode test is simulated, never made',
    );
    const tool = definition.tools.get(operation.tool);
    invariant(tool, 'an operation of a definition belongs to one of its tools');
    const values = await this.valuesFor(definition, call);
    if ('kind' in values) return values;
    const missing = tool.secretNames.find((name) => !values.has(name));
    if (missing !== undefined) return secretMissing(tool, missing);
    const { value: request, tokens } = RECORDING.includes(tool.kind)
      ? { value: call.request, tokens: [] }
      : this.links.revealed(call.workspaceId, call.request);
    const redaction = new SecretRedaction([...values.values(), ...call.hidden, ...tokens]);
    const { context: runContext, mayStart: mayStillStart, ...same } = { ...call, request };
    const facts = { request, secrets: Object.fromEntries(values), ...runContext };
    const gate = { closed: false };
    const mayStart = (): boolean => {
      gate.closed = !mayStillStart();
      return !gate.closed;
    };
    const result = await callWith(this.adapters, tool, {
      ...same,
      context: facts,
      redaction,
      mayStart,
      files: definition.files,
    });
    return gate.closed ? { kind: 'not_started' } : redacted(result, redaction, this.config.maxRecordedBytes);
  }

  /**
   * The result of the call is redacted for all of them, because a tool can return a secret that was sent to another
   * tool.
   */
  private async valuesFor(
    { tools }: CompiledDefinition,
    { workspaceId }: ToolCall,
  ): Promise<ReadonlyMap<string, string> | ToolCallResult> {
    const names = new Set([...tools.values()].flatMap((tool) => tool.secretNames));
    if (names.size === 0) return new Map();
    try {
      return await this.secrets.values(workspaceId, [...names]);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Nothing was sent, so the call can be made again when the database is available again.
      if (error.kind === 'unavailable') return { kind: 'not_started' };
      return refused(error.message, 'secret_missing');
    }
  }
}

function secretMissing(tool: CompiledTool, name: string): ToolCallResult {
  const remedy = `Set it with PUT /v1/secrets/${encodeURIComponent(name)}.`;
  const message = `The tool ${tool.name} needs the secret ${name}, which does not exist. ${remedy}`;
  return refused(message, 'secret_missing');
}

function redacted(result: ToolCallResult, redaction: SecretRedaction, maxBytes: number): ToolCallResult {
  switch (result.kind) {
    case 'not_started':
    case 'pending':
      return result;
    case 'answered': {
      const { output, response, detail } = result;
      return {
        ...result,
        output: hasTooManyValues(output)
          ? truncated(Buffer.from(JSON.stringify(output)), redaction, maxBytes)
          : redaction.value(output),
        response: redaction.object(response),
        detail: redaction.object(detail),
      };
    }
    default: {
      const { message, detail, body } = result;
      const shown = {
        ...result,
        message: redaction.text(message),
        detail: redaction.object(detail),
        ...(body !== undefined && { body: recordable(body, redaction, maxBytes) }),
      };
      return shown.kind === 'refused' && shown.response
        ? { ...shown, response: redaction.object(shown.response) }
        : shown;
    }
  }
}
