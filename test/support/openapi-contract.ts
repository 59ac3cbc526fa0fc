import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Media {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

export interface ResponseDescription {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

export interface ParameterDescription {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  style?: string;
  explode?: boolean;
  schema: { type?: string };
}

export interface OperationDescription {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: ParameterDescription[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, ResponseDescription>;
  'x-problem-codes': string[];
  'x-idempotent'?: true;
}

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationDescription>>;
  /** Webhook messages that the document describes, by event type. */
  webhooks: Record<string, object>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    responses: Record<string, ResponseDescription>;
    parameters: Record<string, ParameterDescription>;
    securitySchemes: Record<string, object>;
  };
}

export interface DescribedOperation {
  /** Method and path, for example `GET /v1/agents/{id}`. */
  route: string;
  path: string;
  method: string;
  operation: OperationDescription;
}

export interface DescribedBody {
  route: string;
  body: { content?: Record<string, Media> };
  pointer: string[];
}

/** Checks responses and webhook messages against an OpenAPI document. */
export class OpenApiContract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  /** Compiled schemas, by their JSON. Most of the thousands of bodies have the same schema as another body. */
  private readonly compiled = new Map<string, ValidateFunction>();

  /** The OpenAPI document. Each reference to a response or a parameter is replaced by the component itself. */
  readonly document: ApiDocument;

  constructor(served: ApiDocument) {
    this.document = resolved(served);
    formats.default(this.ajv);
    // The document is not validated, because it is not a schema itself.
    this.ajv.addSchema(closed(this.document), 'api.json', undefined, false);
  }

  operations(): DescribedOperation[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        route: `${method.toUpperCase()} ${path}`,
        path,
        method: method.toUpperCase(),
        operation,
      })),
    );
  }

  bodies(): DescribedBody[] {
    const messages = Object.entries(this.document.webhooks).map(([type, item]) => ({
      route: type,
      operation: (item as { post: OperationDescription }).post,
      pointer: ['webhooks', type, 'post'],
    }));
    const operations = this.operations().map(({ route, path, method, operation }) => ({
      route,
      operation,
      pointer: ['paths', path, method.toLowerCase()],
    }));
    return [...operations, ...messages].flatMap(({ route, operation, pointer }) => [
      ...(operation.requestBody ? [{ route, body: operation.requestBody, pointer: [...pointer, 'requestBody'] }] : []),
      ...Object.entries(operation.responses).map(([status, body]) => ({
        route: `${route} ${status}`,
        body,
        pointer: [...pointer, 'responses', status],
      })),
    ]);
  }

  /** Compiles the schema at a JSON Pointer, with all its references. */
  schemaAt(...pointer: string[]): ValidateFunction {
    const schema = JSON.stringify(pointer.reduce<unknown>(memberOf, this.document));
    const known = this.compiled.get(schema);
    if (known) return known;
    const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = this.ajv.compile({ $ref: `api.json#/${escaped.join('/')}` });
    this.compiled.set(schema, validate);
    return validate;
  }

  schemaViolations(name: string, value: unknown): string[] {
    const validate = this.schemaAt('components', 'schemas', name);
    return validate(value) ? [] : (validate.errors ?? []).map(said);
  }

  messageViolations(message: { type: string }): string[] {
    const validate = this.schemaAt(
      'webhooks',
      message.type,
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    return validate(message) ? [] : (validate.errors ?? []).map(said);
  }

  violations(
    { path, method, operation }: DescribedOperation,
    answer: { status: number; headers: Headers; body: unknown },
  ): string[] {
    const status = String(answer.status);
    const described = operation.responses[status];
    if (!described) return [`status ${status} is not described`];
    const missing = Object.keys(described.headers ?? {})
      .filter((name) => !OPTIONAL_HEADERS.has(name) && !answer.headers.has(name))
      .map((name) => `the header ${name} is missing`);
    if (!described.content && answer.body === '') return missing;
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (!described.content?.[type])
      return [...missing, `${status} is described as ${Object.keys(described.content ?? {}).join()}, not ${type}`];
    missing.push(...unknownCode(operation, type, answer.body));
    const validate = this.schemaAt('paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
    const values = type === 'text/event-stream' ? eventsOf(String(answer.body)) : [answer.body];
    return [...missing, ...values.flatMap((value) => (validate(value) ? [] : (validate.errors ?? []).map(said)))];
  }
}

function memberOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[name];
}

function eventsOf(stream: string): object[] {
  const blocks = stream.split('\n\n').filter((block) => /^event:/m.test(block));
  return blocks.map((block) => {
    const line = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
    const id = line('id');
    return {
      type: line('event'),
      ...(id !== undefined && { id }),
      data: JSON.parse(line('data') ?? 'null') as unknown,
    };
  });
}

/** Returns a violation if the document does not list the error code of this response for the operation. */
function unknownCode(operation: OperationDescription, type: string, body: unknown): string[] {
  if (type !== 'application/problem+json') return [];
  const { code } = body as { code: string };
  return operation['x-problem-codes'].includes(code) ? [] : [`the code ${code} is not described`];
}

function said({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`;
}

const OPTIONAL_HEADERS = new Set(['Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy']);

/**
 * Returns the document with `additionalProperties: false` in object schemas. With it, a field that the document does
 * not describe is a violation.
 */
function closed(document: ApiDocument): object {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const isClosed = schema.properties !== undefined && schema.additionalProperties === undefined;
    return [name, isClosed ? { ...schema, additionalProperties: false } : schema];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** Matches the references that {@link resolved} replaces. Those to schemas stay, because schemas refer to themselves. */
const REPLACED = /^#\/components\/(responses|parameters)\/(.+)$/;

export function resolved(document: ApiDocument): ApiDocument {
  const place = (_key: string, value: unknown): unknown => {
    const { $ref } = (value ?? {}) as { $ref?: unknown };
    const [, kind, name = ''] = (typeof $ref === 'string' && REPLACED.exec($ref)) || [];
    return kind === undefined ? value : document.components[kind as 'responses' | 'parameters'][name];
  };
  return JSON.parse(JSON.stringify(document, place)) as ApiDocument;
}
