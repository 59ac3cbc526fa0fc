import { type JsonObject, type JsonValue, isJsonObject } from '@app/kernel';
import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { Condition, Template } from '../expressions/expression.js';

export const OPERATION_SCOPES = ['read', 'write'] as const;
export type OperationScope = (typeof OPERATION_SCOPES)[number];

/**
 * The effect of a repeated call. read: none. idempotent: none, because the server recognises the key.
 * at_most_once: possibly a second write, so the service never repeats it (the default of a write).
 */
export const OPERATION_EFFECTS = ['read', 'idempotent', 'at_most_once'] as const;
export type OperationEffect = (typeof OPERATION_EFFECTS)[number];

/** An operation of a tool. Policies, traces and steps use its full name, such as `orders.get`. */
export interface ToolOperation {
  readonly fullName: string;
  readonly tool: string;
  readonly name: string;
  readonly description: string | null;
  readonly scope: OperationScope;
  readonly effect: OperationEffect;
  /** Null accepts any object. */
  readonly request: SchemaValidator | null;
  /** The request schema for models if `request` is null, such as the current input schema of another agent. */
  readonly expects?: JsonObject | null;
  readonly timeoutMs: number;
  /** The header that carries the stable key of one logical call; null sends none. */
  readonly idempotencyHeader: string | null;
  readonly reconcile: Reconciliation | null;
  /** The answer of `mode: test` in place of a call; null: `{simulated: true}`. In scope: `request` and `input`. */
  readonly simulate: Template | null;
  /** How an http tool sends the request; null for the other kinds. */
  readonly http: HttpCall | null;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * Properties of the request named in the path are put there. What is left of it is the query of GET, HEAD and DELETE
 * and the JSON body of the other methods; of operations from an OpenAPI document `parameters` say where each property
 * goes, and what they do not mention is part of the body.
 */
export interface HttpCall {
  readonly method: HttpMethod;
  /** Alternating literal text and properties of the request: `/orders/{order_id}/lines` is text, parameter, text. */
  readonly path: readonly PathPart[];
  readonly placement: 'query' | 'body' | 'described';
  readonly parameters: readonly HttpParameter[];
  /** The operation's own server, without a trailing slash; null is that of the tool. */
  readonly baseUrl: string | null;
}

export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;
/** How lists and objects become text (OpenAPI 3.1, section 4.8.12.2); json: as JSON. */
export const PARAMETER_STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'] as const;

export interface HttpParameter {
  /** The property of the request that holds its value. */
  readonly property: string;
  /** Its name on the wire; empty if this value is the whole body. */
  readonly name: string;
  readonly in: (typeof PARAMETER_PLACES)[number];
  readonly style: (typeof PARAMETER_STYLES)[number];
  readonly explode: boolean;
}

export type PathPart = { readonly text: string } | { readonly parameter: string };

/** How to find the result of a call with unknown outcome. */
export interface Reconciliation {
  /** Full name of a read operation. */
  readonly operation: string;
  /** Its request. In scope: `request` and `call` ({key, tool}). */
  readonly with: Template;
  /**
   * True: the call with unknown outcome was applied. In scope: `request`, `call` and `response` ({status, headers,
   * body}).
   */
  readonly appliedIf: Condition;
}

export const AUTH_TYPES = ['bearer', 'basic', 'header'] as const;

/** Templates in scope of `secrets` and the names every expression sees. */
export type ToolAuth =
  | { readonly kind: 'bearer'; readonly token: Template }
  | { readonly kind: 'basic'; readonly username: Template; readonly password: Template }
  | { readonly kind: 'header'; readonly name: string; readonly value: Template };

/** The properties that all kinds of tools share, except operations. */
export interface ToolBase {
  readonly name: string;
  readonly description: string | null;
  /** Names of the workspace secrets that auth and headers mention. */
  readonly secretNames: readonly string[];
  readonly auth: ToolAuth | null;
  readonly headers: Readonly<Record<string, Template>>;
}

interface ToolWithOperations extends ToolBase {
  /** The settings of each operation in the definition, by its short name. */
  readonly operations: ReadonlyMap<string, ToolOperation>;
}

export interface HttpTool extends ToolWithOperations {
  readonly kind: 'http';
  /** Absolute http(s) URL without a trailing slash. */
  readonly baseUrl: string;
}

export interface OpenapiTool extends ToolWithOperations {
  readonly kind: 'openapi';
  /** The pinned document: another hash is an error. Null if the definition contains the document. */
  readonly spec: { readonly url: string; readonly sha256: string } | null;
  /** Null: the server that the document names. */
  readonly baseUrl: string | null;
  readonly include: readonly string[];
  /** Whether the description of the server is stored. Without it, the tool has no operations. */
  readonly isDescribed: boolean;
}

export const MCP_TRANSPORTS = ['streamable_http', 'stdio'] as const;

export interface McpTool extends ToolWithOperations {
  readonly kind: 'mcp';
  readonly transport:
    | { readonly kind: 'streamable_http'; readonly url: string }
    | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] };
  readonly include: readonly string[];
  readonly isDescribed: boolean;
  /** The operations that the definition configures. */
  readonly overrides: readonly string[];
}

export interface EmailTool extends ToolWithOperations {
  readonly kind: 'email';
  /** Fixed recipients; a call never chooses them. Null is the built-in `notify`: the workspace's admins. */
  readonly to: readonly string[] | null;
}

/**
 * Another agent of the workspace. Its one operation is `run`; a call starts it once, however often the call is
 * repeated.
 */
export interface AgentTool extends ToolWithOperations {
  readonly kind: 'agent';
  /** Id or name. */
  readonly agent: string;
}

/**
 * The built-in tool for knowledge bases. Its operations: `search` for a model, of the bases below `knowledge`, and
 * `retrieve` for steps and for what is retrieved before the first turn, of every base that the definition names.
 */
export interface KnowledgeTool extends ToolWithOperations {
  readonly kind: 'knowledge';
}

export type CompiledTool = HttpTool | OpenapiTool | McpTool | EmailTool | AgentTool | KnowledgeTool;

/** The values of `type` of a tool, and `knowledge`, which is built in. */
export const TOOL_TYPES = ['http', 'openapi', 'mcp', 'agent', 'email'] as const;
export type ToolType = (typeof TOOL_TYPES)[number];

/** The compiled tool of each type. */
export type ToolsByType = { readonly [Type in ToolType]: Extract<CompiledTool, { readonly kind: Type }> };

/** The answer of a simulated write that has no `simulate` value. */
export const SIMULATED_RESPONSE: JsonValue = { simulated: true };

/** The declared properties of an operation's request; undefined if any object is accepted. */
export function declaredProperties(operation: ToolOperation): JsonObject | undefined {
  const properties = operation.request?.schema.properties;
  return isJsonObject(properties) && Object.keys(properties).length > 0 ? properties : undefined;
}

/** The properties that an operation's request must have. */
export function requiredProperties(operation: ToolOperation): string[] {
  const required = operation.request?.schema.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** `/orders/{order_id}/lines` → text, parameter, text. */
export function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}

/** A base URL without the slash at its end. */
export function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
