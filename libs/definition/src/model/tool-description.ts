import type { JsonObject } from '@app/kernel';
import type { HttpCall } from './compiled-tool.js';

/**
 * Describes the operations of an openapi or mcp tool. It is stored with the version. If the server later changes its
 * description, the agent does not change.
 */
export interface ToolDescription {
  readonly operations: Readonly<Record<string, DescribedOperation>>;
}

export interface DescribedOperation {
  readonly description: string | null;
  readonly request: JsonObject;
  /** Whether the operation is declared as read-only: by its HTTP method, or by its annotation in MCP. */
  readonly readsOnly: boolean;
  /** How the request is sent over HTTP. Null for MCP tools. */
  readonly http: HttpCall | null;
}

/** Descriptions, by name of the tool. */
export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;

/**
 * A problem in the description of a tool. `key` is the path of the field in the tool that causes the problem, for
 * example `spec/sha256`.
 */
export interface DescriptionProblem {
  readonly tool: string;
  readonly key: readonly (string | number)[];
  readonly severity: 'error' | 'warning';
  readonly detail: string;
  readonly suggestion?: string;
}
