import type { JsonValue } from '@app/kernel';
import type { SchemaValidator } from './schema-validator.js';
import type { Condition, Template } from './expressions/expression.js';

export const OPERATION_SCOPES = ['read', 'write'] as const;
export type OperationScope = (typeof OPERATION_SCOPES)[number];

/**
 * What repeating a call does. read: nothing. idempotent: nothing more, because the other side recognises the key.
 * at_most_once: possibly the same thing twice, so it is never sent again by the service (the default of a write).
 */
export const OPERATION_EFFECTS = ['read', 'idempotent', 'at_most_once'] as const;
export type OperationEffect = (typeof OPERATION_EFFECTS)[number];

/** One thing a tool can do. Its full name, `orders.get`, is what policies, traces and steps say. */
export interface ToolOperation {
  readonly fullName: string;
  readonly tool: string;
  readonly name: string;
  readonly description: string | null;
  readonly scope: OperationScope;
  readonly effect: OperationEffect;
  /** Null accepts any object. */
  readonly request: SchemaValidator | null;
  readonly timeoutMs: number;
  /** The header that carries the stable key of one logical call; null sends none. */
  readonly idempotencyHeader: string | null;
  readonly reconcile: Reconciliation | null;
  /** What `mode: test` answers instead of calling; null answers `{simulated: true}`. In scope: `request` and `input`. */
  readonly simulate: Template | null;
  /** How to send it, for http tools; null for the other kinds, whose adapters know. */
  readonly http: HttpCall | null;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * Properties of the request named in the path are put there; what is left of it is the query of GET, HEAD and DELETE
 * and the JSON body of the other methods.
 */
export interface HttpCall {
  readonly method: HttpMethod;
  /** Alternating literal text and parameter names: `/orders/{order_id}/lines` is text, parameter, text. */
  readonly path: readonly PathPart[];
  readonly placement: 'query' | 'body';
}

export type PathPart = { readonly text: string } | { readonly parameter: string };

/** How to learn what happened to a call whose answer was lost. */
export interface Reconciliation {
  /** Full name of a read operation. */
  readonly operation: string;
  /** Its request. In scope: `request` and `call` ({key, tool}). */
  readonly with: Template;
  /** True: the lost call was applied. In scope: `request`, `call` and `response` ({status, headers, body}). */
  readonly appliedIf: Condition;
}

/** Templates in scope of `secrets` and the names every expression sees. */
export type ToolAuth =
  | { readonly kind: 'bearer'; readonly token: Template }
  | { readonly kind: 'basic'; readonly username: Template; readonly password: Template }
  | { readonly kind: 'header'; readonly name: string; readonly value: Template };

interface ToolBase {
  readonly name: string;
  readonly description: string | null;
  /** Names of the workspace secrets that auth and headers mention. */
  readonly secretNames: readonly string[];
  readonly auth: ToolAuth | null;
  readonly headers: Readonly<Record<string, Template>>;
  /** What the definition says about each operation, by its short name. */
  readonly operations: ReadonlyMap<string, ToolOperation>;
}

export interface HttpTool extends ToolBase {
  readonly kind: 'http';
  /** Absolute http(s) URL without a trailing slash. */
  readonly baseUrl: string;
}

export interface OpenapiTool extends ToolBase {
  readonly kind: 'openapi';
  /** The document is pinned: another hash is an error. */
  readonly spec: { readonly url: string; readonly sha256: string };
  /** Null takes the first server of the document. */
  readonly baseUrl: string | null;
  readonly include: readonly string[];
}

export interface McpTool extends ToolBase {
  readonly kind: 'mcp';
  readonly transport:
    | { readonly kind: 'streamable_http'; readonly url: string }
    | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] };
  readonly include: readonly string[];
}

export interface EmailTool extends ToolBase {
  readonly kind: 'email';
  /** Fixed recipients; a call never chooses them. Null is the built-in `notify`: the workspace's admins. */
  readonly to: readonly string[] | null;
}

export type CompiledTool = HttpTool | OpenapiTool | McpTool | EmailTool;

/** The answer of a simulated write that has no `simulate` value. */
export const SIMULATED_RESPONSE: JsonValue = { simulated: true };
