import { isJsonObject, type JsonObject, type JsonValue, storableText, suggestName } from '@app/kernel';
import {
  type DescribedBody,
  HTTP_METHODS,
  type HttpMethod,
  type HttpParameter,
  parsePath,
} from '../model/compiled-tool.js';
import type { IncludedOperation } from '../model/included-operation.js';
import { OperationSchemas } from '../model/operation-schema.js';
import type { DescribedOperation, DescriptionProblem, ToolDescription } from '../model/tool-description.js';
import { ForeignReference, type OpenapiDocument, UnusableDocument } from './openapi-document.js';
import { OpenapiRequest } from './openapi-request.js';
import { inputsFromSwagger, type OperationInputs, swaggerServer } from './swagger-operation.js';

/**
 * Maximum length, in characters of JSON, of the descriptions of one tool. They are stored with the version, and many
 * operations may refer to the same long schema.
 */
const MAX_DESCRIPTION = 4 * 1024 * 1024;

export interface OpenapiSource {
  readonly tool: string;
  readonly include: readonly IncludedOperation[];
  /**
   * The address of the document. Relative server addresses are resolved against it. Null if the definition contains the
   * document.
   */
  readonly url: string | null;
  readonly hasBaseUrl: boolean;
}

interface FoundOperation {
  readonly id: string | undefined;
  readonly method: HttpMethod;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** The operations of a document, and those that are in documents that are not listed. */
interface Operations {
  readonly found: FoundOperation[];
  readonly unread: { readonly place: string; readonly message: string }[];
}

/** Describes the included operations of a document. Reports a problem for each operation that cannot be used. */
export function describeOpenapi(
  document: OpenapiDocument,
  source: OpenapiSource,
): { description: ToolDescription; problems: DescriptionProblem[] } {
  const problems: DescriptionProblem[] = [];
  const operations: Record<string, DescribedOperation> = {};
  const schemas = new OperationSchemas(source.tool);
  let length = 0;
  const report = (key: DescriptionProblem['key'], detail: string, suggestion?: string): void =>
    void problems.push({ tool: source.tool, key, severity: 'error', detail, ...(suggestion && { suggestion }) });
  try {
    const { found, unread } = operationsOf(document);
    for (const [index, { id, name }] of source.include.entries()) {
      const [operation, ...others] = matching(found, id);
      const missing = operation ? undefined : (unread.find(({ place }) => id.endsWith(place)) ?? unread[0]);
      if (missing) {
        report(['include', index], `\`${id}\` is not in the listed documents.`, missing.message);
        continue;
      }
      if (!operation) {
        const names = found.map((each) => each.id ?? placeOf(each));
        const detail = `The document has no operation \`${id}\`.`;
        report(['include', index], detail, suggestName(id, names, 'The document has no operations.'));
        continue;
      }
      if (others.length > 0) {
        const places = [operation, ...others].map((each) => `\`${placeOf(each)}\``).join(' and ');
        const detail = `The document has several operations with the id \`${id}\`: ${places}.`;
        report(['include', index], detail, `Include one by its place: \`{ id: "${placeOf(operation)}", as: … }\`.`);
        continue;
      }
      try {
        const described = describe(document, operation, source);
        length += JSON.stringify(described).length;
        if (length > MAX_DESCRIPTION) {
          const detail = `The descriptions of the operations up to \`${id}\` have more than ${MAX_DESCRIPTION / 1024 / 1024} MiB.`;
          report(['include', index], detail, 'Include fewer operations.');
          break;
        }
        operations[name] = described;
        problems.push(...schemas.problems(name, index, described.request));
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error;
        report(['include', index], `\`${id}\` cannot be called: ${error.message}`);
      }
    }
  } catch (error) {
    if (!(error instanceof UnusableDocument)) throw error;
    report(['spec'], error.message);
  }
  return { description: { operations }, problems };
}

function matching(found: readonly FoundOperation[], id: string): FoundOperation[] {
  const byId = found.filter((each) => each.id === id);
  return byId.length > 0 ? byId : found.filter((each) => placeOf(each) === id);
}

function placeOf({ method, path }: FoundOperation): string {
  return `${method} ${path}`;
}

function operationsOf(document: OpenapiDocument): Operations {
  const operations: Operations = { found: [], unread: [] };
  const resolved = (value: JsonValue | undefined, place: string): JsonObject | undefined => {
    try {
      return document.object(value);
    } catch (error) {
      if (!(error instanceof ForeignReference)) throw error;
      operations.unread.push({ place, message: error.message });
      return undefined;
    }
  };
  for (const [path, value] of Object.entries(document.object(document.root.paths) ?? {})) {
    const item = resolved(value, path) ?? {};
    for (const method of HTTP_METHODS) {
      const operation = resolved(item[method.toLowerCase()], `${method} ${path}`);
      if (!operation) continue;
      const id = typeof operation.operationId === 'string' ? operation.operationId : undefined;
      operations.found.push({ id, method, path, item, operation });
    }
  }
  return operations;
}

function describe(document: OpenapiDocument, found: FoundOperation, source: OpenapiSource): DescribedOperation {
  const { method, path, item, operation } = found;
  const shape = new OpenapiRequest(document);
  const inputs = inputsOf(document, operation, parametersOf(document, item, operation));
  for (const parameter of inputs.parameters) shape.addParameter(parameter);
  shape.addBody(inputs.requestBody);
  const parameters = shape.parameters;
  const summary = operation.description ?? operation.summary;
  const readsOnly = method === 'GET' || method === 'HEAD';
  return {
    description: typeof summary === 'string' ? storableText(summary.slice(0, 2_000)) : null,
    request: shape.schema,
    readsOnly,
    http: {
      method,
      path: parsePath(path).map((part) =>
        'parameter' in part ? { parameter: propertyFor(part.parameter, parameters) } : part,
      ),
      placement: 'described',
      parameters,
      ...(shape.body && !isDefaultBody(shape.body) && { body: shape.body }),
      baseUrl: source.hasBaseUrl ? null : serverOf(document, found, source.url),
    },
  };
}

function isDefaultBody({ kind, contentType, isRequired }: DescribedBody): boolean {
  return kind === 'json' && contentType === 'application/json' && !isRequired;
}

function propertyFor(name: string, parameters: readonly HttpParameter[]): string {
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  if (!parameter)
    throw new UnusableDocument(
      `its path contains {${name}}, but the operation declares no path parameter of that name.`,
    );
  return parameter.property;
}

function inputsOf(
  document: OpenapiDocument,
  operation: JsonObject,
  parameters: readonly JsonObject[],
): OperationInputs {
  if (document.isSwagger) return inputsFromSwagger(document, operation, parameters);
  return { parameters, requestBody: operation.requestBody };
}

/**
 * Returns the parameters of the operation, followed by the parameters of its path. A parameter of the path is left out
 * if the operation overrides it.
 */
function parametersOf(document: OpenapiDocument, item: JsonObject, operation: JsonObject): JsonObject[] {
  const all = [operation.parameters, item.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((parameter) => document.object(parameter) ?? {});
  const byName = new Map<string, JsonObject>();
  for (const one of all) {
    const key = JSON.stringify([one.in, one.name]);
    if (!byName.has(key)) byName.set(key, one);
  }
  return [...byName.values()];
}

function serverOf(document: OpenapiDocument, { item, operation }: FoundOperation, base: string | null): string {
  const address = document.isSwagger ? swaggerServer(document, operation, base) : addressOf(document, item, operation);
  const url = URL.canParse(address, base ?? undefined) ? new URL(address, base ?? undefined) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UnusableDocument(`the document names no usable server (\`${address}\`). Set \`base_url\` of the tool.`);
  }
  return url.href.replace(/\/+$/, '');
}

function addressOf(document: OpenapiDocument, item: JsonObject, operation: JsonObject): string {
  const servers: JsonValue[] = [operation.servers, item.servers, document.root.servers].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const server = servers.find(isJsonObject);
  const template = typeof server?.url === 'string' ? server.url : '/';
  const variables = isJsonObject(server?.variables) ? server.variables : {};
  return template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = variables[name];
    return isJsonObject(variable) && typeof variable.default === 'string' ? variable.default : '';
  });
}
