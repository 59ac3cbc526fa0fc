import type { JsonObject } from '@app/kernel';
import type { HttpCall } from './compiled-tool.js';

/**
 * The description of the operations of an openapi or mcp tool. It is stored with the version, so that a later change of
 * the server's description does not change the agent.
 */
export interface ToolDescription {
  /** By the short name; those that the tool includes. */
  readonly operations: Readonly<Record<string, DescribedOperation>>;
}

export interface DescribedOperation {
  readonly description: string | null;
  /** JSON Schema of the request. */
  readonly request: JsonObject;
  /** It says of itself that it changes nothing: the method of an HTTP operation, the annotation of an MCP tool. */
  readonly readsOnly: boolean;
  /** How to send it over HTTP; null for MCP tools. */
  readonly http: HttpCall | null;
}

/** By the name of the tool. */
export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;

/**
 * Something about a tool that its description shows; `key` is the member of the tool that it is about, like
 * `spec/sha256`.
 */
export interface DescriptionProblem {
  readonly tool: string;
  readonly key: readonly (string | number)[];
  readonly severity: 'error' | 'warning';
  readonly detail: string;
  readonly suggestion?: string;
}
