import { type JsonObject, type JsonValue, isJsonObject } from '@app/kernel';
import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { Condition, Template } from '../expressions/expression.js';
import type { SqlParameter } from '../sql/sql-statement.js';
import type { AllowedHost } from './allowed-hosts.js';
import type { ComputedPart, ComputedUrl, CustomRequest } from './custom-request.js';

export const OPERATION_SCOPES = ['read', 'write'] as const;
export type OperationScope = (typeof OPERATION_SCOPES)[number];

/**
 * The effect of a repeated call. read: a read has no effect. idempotent: no second effect, because the server
 * recognises the key. at_most_once: possibly a second write, so the service never repeats the call. This is the default
 * of a write operation.
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
  /** If null, any object is accepted. */
  readonly request: SchemaValidator | null;
  /** The request schema that models see if `request` is null, for example the current input schema of another agent. */
  readonly expects?: JsonObject | null;
  readonly timeoutMs: number;
  /** The header that carries the stable key of one logical call. If null, no key is sent. */
  readonly idempotencyHeader: string | null;
  readonly reconcile: Reconciliation | null;
  /**
   * The response in `mode: test`, in which the call is not sent. If null, the response is `{simulated: true}`. In
   * scope: `request`, `input`, `trigger`, `run` and `agent`.
   */
  readonly simulate: Template | null;
  /** How an http tool sends the request. Null for all other kinds. */
  readonly http: HttpCall | null;
  /** The statement of a postgres or mysql tool. */
  readonly sql?: SqlCall;
  /**
   * True if a run in `mode: test` carries out the operation, because it then changes only data of the run. The calls of
   * an evaluation without a mock are carried out too.
   */
  readonly isContained?: boolean;
}

export interface SqlCall {
  readonly text: string;
  /** The members of the request that are the parameters of the statement, in order. */
  readonly params: readonly string[];
  readonly parameters: readonly SqlParameter[];
  readonly maxRows: number;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * Describes how a request is sent. If `path` contains a property, its value becomes part of the path. The remaining
 * properties become the query of GET, HEAD and DELETE, and the JSON body of other methods. For operations from an
 * OpenAPI document, `parameters` says where each property goes. All other properties are part of the body.
 */
export interface HttpCall {
  readonly method: HttpMethod;
  /**
   * Literal text and properties of the request in turn: `/orders/{order_id}/lines` has the parts text, parameter, text.
   */
  readonly path: readonly PathPart[];
  readonly placement: 'query' | 'body' | 'described';
  readonly parameters: readonly HttpParameter[];
  /** The server of this operation, without a trailing slash. If null, the server of the tool is used. */
  readonly baseUrl: string | null;
  /** Left out if the operation computes no part of the request. */
  readonly custom?: CustomRequest;
}

export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;
/** How lists and objects are serialised (OpenAPI 3.1, section 4.8.12.2). `json` serialises them as JSON. */
export const PARAMETER_STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'] as const;

export interface HttpParameter {
  /** The property of the request that contains the value. */
  readonly property: string;
  /** The name of the parameter in the HTTP request. Empty if this value is the whole body. */
  readonly name: string;
  readonly in: (typeof PARAMETER_PLACES)[number];
  readonly style: (typeof PARAMETER_STYLES)[number];
  readonly explode: boolean;
}

export type PathPart = { readonly text: string } | { readonly parameter: string } | ComputedPart;

/** How to find the result of a call with unknown outcome. */
export interface Reconciliation {
  /** Full name of a read operation. */
  readonly operation: string;
  /** The request of the read operation. In scope: `request` and `call` ({key, tool}). */
  readonly with: Template;
  /**
   * If true, the call with unknown outcome was applied. In scope: `request`, `call` and `response` ({status, headers,
   * body}).
   */
  readonly appliedIf: Condition;
  /**
   * The output of the step if the call was applied, with the same names in scope as `appliedIf`. If null, the output is
   * the body of the response of the read operation.
   */
  readonly output: Template | null;
}

export const AUTH_TYPES = [
  'bearer',
  'basic',
  'header',
  'query',
  'aws_sigv4',
  'oauth2',
  'oauth2_client_credentials',
] as const;

export const CLIENT_AUTHENTICATIONS = ['basic', 'post'] as const;

/** How calls are signed (AWS Signature Version 4). */
export interface AwsSignatureAuth {
  readonly kind: 'aws_sigv4';
  readonly accessKeyId: Template;
  readonly secretAccessKey: Template;
  readonly sessionToken: Template | null;
  readonly region: Template;
  readonly service: Template;
}

/** Calls carry a token of an account that a person has authorised. `connection` is a name or an id. */
export interface ConnectionAuth {
  readonly kind: 'oauth2';
  readonly connection: string;
}

/** Calls carry a token that the service requests for a client (RFC 6749, section 4.4). */
export interface ClientCredentialsAuth {
  readonly kind: 'oauth2_client_credentials';
  readonly tokenUrl: Template;
  readonly clientId: Template;
  readonly clientSecret: Template;
  readonly scopes: readonly string[];
  readonly parameters: Readonly<Record<string, Template>>;
  readonly clientAuthentication: (typeof CLIENT_AUTHENTICATIONS)[number];
}

/** Templates that can use `secrets` and the names that every expression can use. */
export type ToolAuth =
  | { readonly kind: 'bearer'; readonly token: Template }
  | { readonly kind: 'basic'; readonly username: Template; readonly password: Template }
  | { readonly kind: 'header'; readonly name: string; readonly value: Template }
  | { readonly kind: 'query'; readonly name: string; readonly value: Template }
  | AwsSignatureAuth
  | ConnectionAuth
  | ClientCredentialsAuth;

/** The properties that all kinds of tools share, except operations. */
export interface ToolBase {
  readonly name: string;
  readonly description: string | null;
  /** Names of the workspace secrets that the tool mentions. */
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
  /** Absolute http or https URL. */
  readonly baseUrl: string | ComputedUrl;
  /** Left out if the tool may call every host that the operator allows. */
  readonly allowedHosts?: readonly AllowedHost[];
}

export interface OpenapiTool extends ToolWithOperations {
  readonly kind: 'openapi';
  /** The pinned document. A document with another hash is an error. Null if the definition contains the document. */
  readonly spec: { readonly url: string; readonly sha256: string } | null;
  /** If null, the server that the document names is used. */
  readonly baseUrl: string | null;
  readonly include: readonly string[];
  /** Whether the description of the server is stored. Without a description the tool has no operations. */
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
  /**
   * The fixed recipients, among which a call may choose. Null for the built-in tool `notify`, which sends to the admins
   * of the workspace.
   */
  readonly to: readonly string[] | null;
  /** Computes the recipients: an address or a list of addresses. Left out if they are fixed. */
  readonly computedTo?: Template;
  /** Entries that bound `to` and `cc` of a call. Left out if `to` is the list of allowed recipients. */
  readonly allowedRecipients?: readonly string[];
}

/** Another agent of the workspace. Its only operation is `run`. A call starts one run, even if the call is repeated. */
export interface AgentTool extends ToolWithOperations {
  readonly kind: 'agent';
  /** Id or name of the agent. */
  readonly agent: string;
}

/**
 * The built-in tool for knowledge bases. Models call `search`, which covers the bases listed in `knowledge`. Steps, and
 * the retrieval before the first turn, call `retrieve`, which covers every base that the definition names.
 */
export interface KnowledgeTool extends ToolWithOperations {
  readonly kind: 'knowledge';
}

export const STATE_SCOPES = ['agent', 'workspace'] as const;
export type StateScope = (typeof STATE_SCOPES)[number];

/** Values that outlive a run, of the agent in all its versions or of all agents of the workspace. */
export interface StateTool extends ToolWithOperations {
  readonly kind: 'state';
  readonly scope: StateScope;
  /** True for the tool `state` that the definition does not declare. */
  readonly isBuiltIn: boolean;
}

interface SqlToolBase extends ToolWithOperations {
  /** Name of the secret that contains the DSN. */
  readonly dsnSecret: string;
}

export interface PostgresTool extends SqlToolBase {
  readonly kind: 'postgres';
}

export interface MysqlTool extends SqlToolBase {
  readonly kind: 'mysql';
}

export type SqlTool = PostgresTool | MysqlTool;

export type CompiledTool =
  HttpTool | OpenapiTool | McpTool | EmailTool | AgentTool | SqlTool | StateTool | KnowledgeTool;

/** The allowed values of `type` of a tool. The kind `knowledge` is built in and not among them. */
export const TOOL_TYPES = ['http', 'openapi', 'mcp', 'agent', 'email', 'postgres', 'mysql', 'state'] as const;
export type ToolType = (typeof TOOL_TYPES)[number];

/** The compiled tool of each type. */
export type ToolsByType = { readonly [Type in ToolType]: Extract<CompiledTool, { readonly kind: Type }> };

/** The response of a simulated write that has no `simulate` value. */
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

/** Splits `/orders/{order_id}/lines` into text, parameter, text. */
export function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}

/** Removes the slash at the end of a base URL. */
export function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
