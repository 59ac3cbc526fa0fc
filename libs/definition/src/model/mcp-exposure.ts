import type { JsonObject } from '@app/kernel';
import type { Template } from '@app/cel';

/** An agent as a tool of the MCP server (`expose.mcp`), with all defaults. */
export interface McpExposure {
  readonly tool: string;
  readonly description: string;
  /** The members of the input that the caller may give. Null if the definition has no `input`: any that is not fixed. */
  readonly given: readonly string[] | null;
  /** The members of the input that the caller may not give. Their templates read only `caller`. */
  readonly fixed: ReadonlyMap<string, Template>;
  readonly inputSchema: JsonObject;
  /** Maximum time in milliseconds for which an answer waits for the end of the run. */
  readonly waitMs: number;
}
