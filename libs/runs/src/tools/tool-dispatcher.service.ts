import type { CompiledDefinition, CompiledTool } from '@app/agents/definition';
import { DomainError } from '@app/kernel';
import { Secrets } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { HttpToolAdapter } from './http-tool.js';
import { SecretRedaction } from './secret-redaction.js';
import type { ToolCall, ToolCallResult } from './tool-call.js';

/**
 * The one place from which tools are called, and the one place where secrets have their values: they are read just before
 * the call, sent in its headers, and taken out of whatever comes back. Whoever calls has the recorded intent in hand.
 */
@Injectable()
export class ToolDispatcher {
  constructor(
    private readonly http: HttpToolAdapter,
    private readonly secrets: Secrets,
  ) {}

  async call(definition: CompiledDefinition, call: ToolCall): Promise<ToolCallResult> {
    const tool = definition.tools.get(call.operation.tool);
    if (tool?.kind !== 'http' || !call.operation.http) {
      const { fullName } = call.operation;
      const type = tool?.kind ?? 'unknown';
      return refused('tool_error', `This release cannot call ${fullName}: its tool is of the type ${type}.`);
    }
    const values = await this.valuesFor(definition, call);
    if ('kind' in values) return values;
    const missing = tool.secretNames.find((name) => !values.has(name));
    if (missing !== undefined) return secretMissing(tool, missing);
    const redaction = new SecretRedaction(values.values());
    const facts = { ...call.facts, request: call.request, secrets: Object.fromEntries(values) };
    return redacted(await this.http.call(tool, call.operation.http, { ...call, facts, redaction }), redaction);
  }

  /** Of every secret that the definition mentions: one tool may answer with what another one was sent. */
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
      // Nothing was sent: the call may begin again as soon as the database answers.
      if (error.kind === 'unavailable') return { kind: 'not_started' };
      return refused('secret_missing', error.message);
    }
  }
}

function secretMissing(tool: CompiledTool, name: string): ToolCallResult {
  const remedy = `Set it with PUT /v1/secrets/${encodeURIComponent(name)}.`;
  return refused('secret_missing', `The tool ${tool.name} needs the secret ${name}, which does not exist. ${remedy}`);
}

function refused(code: 'tool_error' | 'secret_missing', message: string): ToolCallResult {
  return { kind: 'refused', code, message, detail: { response_summary: message }, permanent: true };
}

function redacted(result: ToolCallResult, redaction: SecretRedaction): ToolCallResult {
  switch (result.kind) {
    case 'not_started':
      return result;
    case 'answered': {
      const { output, response, detail } = result;
      return {
        ...result,
        output: redaction.value(output),
        response: redaction.object(response),
        detail: redaction.object(detail),
      };
    }
    default:
      return { ...result, message: redaction.text(result.message), detail: redaction.object(result.detail) };
  }
}
