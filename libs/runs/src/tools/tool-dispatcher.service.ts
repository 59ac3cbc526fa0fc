import type { CompiledDefinition } from '@app/agents/definition';
import { Injectable } from '@nestjs/common';
import { HttpToolAdapter } from './http-tool.js';
import type { ToolCall, ToolCallResult } from './tool-call.js';

/** The one place from which tools are called. Whoever calls has the recorded intent in hand. */
@Injectable()
export class ToolDispatcher {
  constructor(private readonly http: HttpToolAdapter) {}

  async call(definition: CompiledDefinition, call: ToolCall): Promise<ToolCallResult> {
    const tool = definition.tools.get(call.operation.tool);
    if (tool?.kind === 'http' && call.operation.http) return this.http.call(tool, call.operation.http, call);
    const message = `This release cannot call ${call.operation.fullName}: its tool is of the type ${tool?.kind ?? 'unknown'}.`;
    return { kind: 'refused', code: 'tool_error', message, detail: { response_summary: message } };
  }
}
