import type { JsonObject } from '@app/kernel';
import type { HttpCall } from './compiled-tool.js';

/**
 * The description of the operations of an openapi or mcp tool. It is stored with the version, so that a later change of
 * the server's description does not change the agent.
 */
export interface ToolDescription {
  /** The operations that the tool includes, by short name. */
  readonly operations: Readonly<Record<string, DescribedOperation>>;
}

export interface DescribedOperation {
  readonly description: string | null;
  /** JSON Schema of the request. */
  readonly request: JsonObject;
  /**
   * Whether the operation is declared as read-only, by the method of an HTTP operation or the annotation of an MCP
   * tool.
   */
  readonly readsOnly: boolean;
  /** How to send the request over HTTP; null for MCP tools. */
  readonly http: HttpCall | null;
}

/** Descriptions by the name of the tool. */
export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;

/**
 * A problem of a tool that was found in its description. `key` is the field of the tool that causes it, for example
 * `spec/sha256`.
 */
export interface DescriptionProblem {
  readonly tool: string;
  readonly key: readonly (string | number)[];
  readonly severity: 'error' | 'warning';
  readonly detail: string;
  readonly suggestion?: string;
}
