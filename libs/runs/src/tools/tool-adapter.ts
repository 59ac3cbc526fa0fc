import type {
  AgentTool,
  CompiledTool,
  EmailTool,
  FilesTool,
  HttpTool,
  KnowledgeTool,
  McpTool,
  OpenapiTool,
  MysqlTool,
  PostgresTool,
  StateTool,
} from '@app/definition';
import type { PreparedCall, ToolCallResult } from '../calls/tool-call.js';

interface AdaptedTools {
  http: HttpTool;
  openapi: OpenapiTool;
  mcp: McpTool;
  email: EmailTool;
  agent: AgentTool;
  postgres: PostgresTool;
  mysql: MysqlTool;
  state: StateTool;
  files: FilesTool;
  knowledge: KnowledgeTool;
}

/**
 * The dispatcher has checked the call and read the secrets, and it redacts the result. An adapter must call `mayStart`
 * immediately before it sends the request, and redact its output before it truncates the output. If a failed call may
 * have had an effect, the adapter must return `unknown`.
 */
export interface ToolAdapter<Tool extends CompiledTool> {
  call(tool: Tool, call: PreparedCall): Promise<ToolCallResult>;
}

export type ToolAdapters = { readonly [Kind in keyof AdaptedTools]: ToolAdapter<AdaptedTools[Kind]> };

export const TOOL_ADAPTERS = Symbol('TOOL_ADAPTERS');

export function callWith<Kind extends keyof AdaptedTools>(
  adapters: ToolAdapters,
  tool: AdaptedTools[Kind] & { readonly kind: Kind },
  call: PreparedCall,
): Promise<ToolCallResult> {
  return adapters[tool.kind].call(tool, call);
}
