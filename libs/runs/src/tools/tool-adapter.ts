import type {
  AgentTool,
  CompiledTool,
  EmailTool,
  HttpTool,
  KnowledgeTool,
  McpTool,
  OpenapiTool,
} from '@app/definition';
import type { PreparedCall, ToolCallResult } from '../calls/tool-call.js';

/** Tools by their type. Each has an adapter, or {@link ToolAdapters} does not compile. */
interface AdaptedTools {
  http: HttpTool;
  openapi: OpenapiTool;
  mcp: McpTool;
  email: EmailTool;
  agent: AgentTool;
  knowledge: KnowledgeTool;
}

/**
 * How the tools of one type are called, and nothing else: whether a call may be made has been decided, secrets have their
 * values, and what comes back is redacted, all of it by the dispatcher. An adapter asks `mayStart` at the last moment before
 * the call leaves, takes its output through `redaction` before it cuts anything off, and says honestly what is known of a
 * call that failed.
 */
export interface ToolAdapter<Tool extends CompiledTool> {
  call(tool: Tool, call: PreparedCall): Promise<ToolCallResult>;
}

/** The adapter of each type of tool. */
export type ToolAdapters = { readonly [Kind in keyof AdaptedTools]: ToolAdapter<AdaptedTools[Kind]> };

export const TOOL_ADAPTERS = Symbol('TOOL_ADAPTERS');

export function callWith<Kind extends keyof AdaptedTools>(
  adapters: ToolAdapters,
  tool: AdaptedTools[Kind] & { readonly kind: Kind },
  call: PreparedCall,
): Promise<ToolCallResult> {
  return adapters[tool.kind].call(tool, call);
}
