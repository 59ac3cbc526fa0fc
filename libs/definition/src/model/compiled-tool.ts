import { type JsonObject, type JsonValue, isJsonObject } from '@app/kernel';
import type { SchemaValidator } from '@app/json-schema';
import type { Condition, Template } from '@app/cel';
import type { SqlParameter } from '../sql/sql-statement.js';
import type { AllowedHost } from './allowed-hosts.js';
import type { BodyKind, ComputedPart, ComputedUrl, CustomRequest } from './custom-request.js';

export const OPERATION_SCOPES = ['read', 'write'] as const;
export type OperationScope = (typeof OPERATION_SCOPES)[number];

/**
 * The effect of sending the same call twice. `read`: nothing changes. `idempotent`: the server recognises the repeated
 * call and applies it once. `at_most_once`: the server may apply the call twice, so the service never repeats it. The
 * default of a write operation is `at_most_once`.
 */
export const OPERATION_EFFECTS = ['read', 'idempotent', 'at_most_once'] as const;
export type OperationEffect = (typeof OPERATION_EFFECTS)[number];

/** The form in which a file becomes an argument of MCP: its content in base64, or a link that opens it for an hour. */
export const FILE_FORMS = ['base64', 'url'] as const;
export type FileForm = (typeof FILE_FORMS)[number];

/** An operation of a tool. Policies, traces and steps use its full name, such as `orders.get`. */
export interface ToolOperation {
  /** The id in the document or at the server. Missing if it is `name`. */
  readonly id?: string;
  readonly fullName: string;
  readonly tool: string;
  readonly name: string;
  readonly description: string | null;
  readonly scope: OperationScope;
  readonly effect: OperationEffect;
  /** If null, any object is accepted. */
  readonly request: SchemaValidator | null;
  /** Arguments of an mcp tool that are files. The server expects texts in their place, as `serverRequest` says. */
  readonly fileArguments?: Readonly<Record<string, FileForm>>;
  /** The input schema of the server, if `request` differs from it. */
  readonly serverRequest?: JsonObject;
  /** The request schema that models see if `request` is null, such as the current input schema of another agent. */
  readonly expects?: JsonObject | null;
  readonly timeoutMs: number;
  /** Header that carries the idempotency key, which is the same for all attempts of a call. If null, no key is sent. */
  readonly idempotencyHeader: string | null;
  readonly reconcile: Reconciliation | null;
  /**
   * The response of a write operation in `mode: test`. In this mode, the request is not sent. The template can read
   * `request`, `input`, `trigger`, `run` and `agent`. If null, the response is `{simulated: true}`.
   */
  readonly simulate: Template | null;
  /** How to send the request over HTTP. Null except in http and openapi tools. */
  readonly http: HttpCall | null;
  /** The SQL of the operation. Set only in postgres and mysql tools. */
  readonly sql?: SqlCall;
  /**
   * True if the operation, in `mode: test`, changes only data that belongs to the run. Such an operation is carried out
   * and not simulated: in `mode: test`, and in an evaluation case that has no mock for it.
   */
  readonly isContained?: boolean;
}

export interface SqlCall {
  readonly text: string;
  /** The fields of the request that are the parameters of the statement, in order. */
  readonly params: readonly string[];
  readonly parameters: readonly SqlParameter[];
  readonly maxRows: number;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * How a request becomes an HTTP request. Properties in `path` become parts of the path. With the placement `query` or
 * `body`, all other properties become the query or the JSON body. With `described`, `parameters` says where each
 * property goes, and all others become part of the body.
 */
export interface HttpCall {
  readonly method: HttpMethod;
  /**
   * The parts of the path: literal text, properties of the request and computed parts. For example,
   * `/orders/{order_id}/lines` has the parts text, parameter, text.
   */
  readonly path: readonly PathPart[];
  readonly placement: 'query' | 'body' | 'described';
  readonly parameters: readonly HttpParameter[];
  /** The body that the document describes. Missing if it is JSON of the type `application/json` that is optional. */
  readonly body?: DescribedBody;
  /** The server of this operation, without a trailing slash. If null, the server of the tool is used. */
  readonly baseUrl: string | null;
  /** The computed parts of the request. Missing if the operation computes no part. */
  readonly custom?: CustomRequest;
}

export interface DescribedBody {
  readonly kind: Exclude<BodyKind, 'none'>;
  /** Media type of the body, as the document names it. It may contain `*`. */
  readonly contentType: string;
  /** Whether a body is sent if the request has no property of it. */
  readonly isRequired: boolean;
}

export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;
/** How lists and objects are serialised (OpenAPI 3.1.1, section 4.8.12.3). `json` serialises them as JSON. */
export const PARAMETER_STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'json',
] as const;

export interface HttpParameter {
  readonly property: string;
  /** The name of the parameter in the HTTP request. Empty if this value is the whole body. */
  readonly name: string;
  readonly in: (typeof PARAMETER_PLACES)[number];
  readonly style: (typeof PARAMETER_STYLES)[number];
  readonly explode: boolean;
  /** Reserved characters of the value are not percent-encoded in the query. */
  readonly allowReserved?: boolean;
}

export type PathPart = { readonly text: string } | { readonly parameter: string } | ComputedPart;

/** How to find out whether a call with unknown outcome was applied, and what its result was. */
export interface Reconciliation {
  /** Full name of the read operation to call. */
  readonly operation: string;
  /**
   * Computes the request of the read operation. It can read `request` and `call` ({key, tool}) of the call with unknown
   * outcome.
   */
  readonly with: Template;
  /**
   * If true, the call was applied. The condition can read `request` and `call` of the call with unknown outcome, and
   * `response` ({status, headers, body}) of the read operation.
   */
  readonly appliedIf: Condition;
  /**
   * Computes the output of the step if the call was applied. It can read the same names as `appliedIf`. If null, the
   * output is the body of `response`.
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

export interface AwsSignatureAuth {
  readonly kind: 'aws_sigv4';
  readonly accessKeyId: Template;
  readonly secretAccessKey: Template;
  readonly sessionToken: Template | null;
  readonly region: Template;
  readonly service: Template;
}

/** Sends the access token of a connection. `connection` is its name or id. */
export interface ConnectionAuth {
  readonly kind: 'oauth2';
  readonly connection: string;
}

/** Sends an access token that the service requests with client credentials (RFC 6749, section 4.4). */
export interface ClientCredentialsAuth {
  readonly kind: 'oauth2_client_credentials';
  readonly tokenUrl: Template;
  readonly clientId: Template;
  readonly clientSecret: Template;
  readonly scopes: readonly string[];
  readonly parameters: Readonly<Record<string, Template>>;
  readonly clientAuthentication: (typeof CLIENT_AUTHENTICATIONS)[number];
}

/**
 * How calls authenticate. The templates can read `secrets`, `request`, `input`, `trigger`, `run` and `agent`. The
 * templates of client credentials can read only `secrets`.
 */
export type ToolAuth =
  | { readonly kind: 'bearer'; readonly token: Template }
  | { readonly kind: 'basic'; readonly username: Template; readonly password: Template }
  | { readonly kind: 'header'; readonly name: string; readonly value: Template }
  | { readonly kind: 'query'; readonly name: string; readonly value: Template }
  | AwsSignatureAuth
  | ConnectionAuth
  | ClientCredentialsAuth;

export interface ToolBase {
  readonly name: string;
  readonly description: string | null;
  /** Names of the workspace secrets that the tool reads. */
  readonly secretNames: readonly string[];
  readonly auth: ToolAuth | null;
  readonly headers: Readonly<Record<string, Template>>;
}

interface ToolWithOperations extends ToolBase {
  readonly operations: ReadonlyMap<string, ToolOperation>;
}

export interface HttpTool extends ToolWithOperations {
  readonly kind: 'http';
  readonly baseUrl: string | ComputedUrl;
  /** If missing, the tool may call every host that the operator allows. */
  readonly allowedHosts?: readonly AllowedHost[];
}

/** A document that is fetched. If it has another hash, it is rejected. */
export interface PinnedDocument {
  readonly url: string;
  readonly sha256: string;
}

export interface OpenapiTool extends ToolWithOperations {
  readonly kind: 'openapi';
  /** Null if the definition contains the document. */
  readonly spec: PinnedDocument | null;
  readonly documents: readonly PinnedDocument[];
  /** If null, the server that the document names is used. */
  readonly baseUrl: string | null;
  readonly include: readonly string[];
  /**
   * Whether the descriptions of the operations are stored. If not, every operation accepts any request, and an
   * operation is a write operation unless `overrides` sets its scope.
   */
  readonly isDescribed: boolean;
  /** Why there are no descriptions. Only set for a run. */
  readonly unknownBecause?: string;
}

export const MCP_TRANSPORTS = ['streamable_http', 'stdio'] as const;
export const MCP_SESSIONS = ['run', 'agent'] as const;

export interface McpTool extends ToolWithOperations {
  readonly kind: 'mcp';
  readonly transport:
    | { readonly kind: 'streamable_http'; readonly url: string }
    | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] };
  /** Whose calls share a session with the server: those of one run, or those of all runs of the agent. */
  readonly session: (typeof MCP_SESSIONS)[number];
  readonly include: readonly string[];
  readonly isDescribed: boolean;
  /** Why there are no descriptions. Only set for a run. */
  readonly unknownBecause?: string;
  /** Names of the operations that `overrides` configures. */
  readonly overrides: readonly string[];
}

export interface EmailTool extends ToolWithOperations {
  readonly kind: 'email';
  /**
   * The fixed recipients, from which a call may choose. Null if the recipients are computed. Also null for the built-in
   * tool `notify`, which sends to the admins of the workspace.
   */
  readonly to: readonly string[] | null;
  /** Computes the recipients: an address or a list of addresses. Missing if the recipients are fixed. */
  readonly computedTo?: Template;
  /** The addresses and patterns to which the tool may send. If missing, only the addresses in `to` are allowed. */
  readonly allowedRecipients?: readonly string[];
}

/** Another agent of the workspace. Its only operation is `run`. If a call is repeated, it still starts only one run. */
export interface AgentTool extends ToolWithOperations {
  readonly kind: 'agent';
  /** Id or name of the agent. */
  readonly agent: string;
}

/**
 * The built-in tool for knowledge bases. Models call `search`, which covers the knowledge bases listed in `knowledge`.
 * Steps call `retrieve`, which covers every knowledge base that the definition names. The service also calls `retrieve`
 * before the first turn of a model.
 */
export interface KnowledgeTool extends ToolWithOperations {
  readonly kind: 'knowledge';
}

export const STATE_SCOPES = ['agent', 'workspace'] as const;
export type StateScope = (typeof STATE_SCOPES)[number];

/** Values that stay stored after a run. They belong to one agent (all versions) or to all agents of the workspace. */
export interface StateTool extends ToolWithOperations {
  readonly kind: 'state';
  readonly scope: StateScope;
  /** True for the tool `state` that exists without a declaration in the definition. */
  readonly isBuiltIn: boolean;
}

/** Creates and reads files of the workspace. */
export interface FilesTool extends ToolWithOperations {
  readonly kind: 'files';
  /** True for the tool `files` that exists without a declaration in the definition. */
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
  HttpTool | OpenapiTool | McpTool | EmailTool | AgentTool | SqlTool | StateTool | FilesTool | KnowledgeTool;

/** The values of `type` of a tool in a definition. The built-in kind `knowledge` is not among them. */
export const TOOL_TYPES = ['http', 'openapi', 'mcp', 'agent', 'email', 'postgres', 'mysql', 'state', 'files'] as const;
export type ToolType = (typeof TOOL_TYPES)[number];

export type ToolsByType = { readonly [Type in ToolType]: Extract<CompiledTool, { readonly kind: Type }> };

/** The response of a simulated write that has no `simulate` value. */
export const SIMULATED_RESPONSE: JsonValue = { simulated: true };

export function declaredProperties(operation: ToolOperation): JsonObject | undefined {
  const properties = operation.request?.schema.properties;
  return isJsonObject(properties) && Object.keys(properties).length > 0 ? properties : undefined;
}

export function requiredProperties(operation: ToolOperation): string[] {
  const required = operation.request?.schema.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Splits `/orders/{order_id}/lines` into text, parameter and text. */
export function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}

export function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
