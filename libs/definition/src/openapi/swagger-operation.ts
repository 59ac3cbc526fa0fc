import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type OpenapiDocument, UnusableDocument } from './openapi-document.js';

/** The parts of an operation of OpenAPI 3 that describe its request. */
export interface OperationInputs {
  readonly parameters: readonly JsonObject[];
  readonly requestBody: JsonValue | undefined;
}

interface Serialisation {
  readonly style: string;
  readonly explode: boolean;
}

const COMMA: Serialisation = { style: 'form', explode: false };
const REPEATED: Serialisation = { style: 'form', explode: true };
const FIELD: Readonly<Record<string, Serialisation>> = {
  csv: COMMA,
  multi: REPEATED,
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
};
const SIMPLE = { csv: { style: 'simple', explode: false } };
/** The values of `collectionFormat` that can be sent, by place. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, Serialisation>>>> = {
  query: FIELD,
  form: FIELD,
  multipart: { csv: COMMA, multi: REPEATED },
  path: SIMPLE,
  header: SIMPLE,
};

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/**
 * Converts the request of an operation from Swagger 2.0 to OpenAPI 3.0. Converts no other part, because only requests
 * are described. Schemas may refer to any place of the document, so they stay where they are.
 * @throws UnusableDocument if a list has a format that cannot be sent
 */
export function inputsFromSwagger(
  document: OpenapiDocument,
  operation: JsonObject,
  parameters: readonly JsonObject[],
): OperationInputs {
  const consumes = textsOf(operation.consumes ?? document.root.consumes);
  const body = parameters.find((one) => one.in === 'body');
  const fields = parameters.filter((one) => one.in === 'formData');
  return {
    parameters: parameters.filter((one) => one.in !== 'body' && one.in !== 'formData').map(parameterOf),
    requestBody: body ? bodyOf(body, consumes) : fields.length > 0 ? formOf(fields, consumes) : undefined,
  };
}

/**
 * Returns the address of the server. Parts that the document does not name are those of its own address.
 * @param url the address of the document, or null
 */
export function swaggerServer({ root }: OpenapiDocument, operation: JsonObject, url: string | null): string {
  const schemes = textsOf(operation.schemes ?? root.schemes);
  const scheme = ['https', 'http'].find((one) => schemes.includes(one)) ?? (url === null ? 'https' : undefined);
  const host = typeof root.host === 'string' ? root.host : url === null ? undefined : new URL(url).host;
  const path = typeof root.basePath === 'string' ? root.basePath : '/';
  if (host === undefined) return path;
  return `${scheme === undefined ? '' : `${scheme}:`}//${host}${path.startsWith('/') ? '' : '/'}${path}`;
}

function parameterOf(source: JsonObject): JsonObject {
  const { name, required, description } = source;
  return {
    ...(name !== undefined && { name }),
    ...(source.in !== undefined && { in: source.in }),
    ...(required !== undefined && { required }),
    ...(description !== undefined && { description }),
    schema: schemaOf(source),
    ...serialisation(source, textOf(source.in)),
  };
}

function bodyOf({ schema = {}, required = false, description }: JsonObject, consumes: readonly string[]): JsonObject {
  const types = consumes.length > 0 ? consumes : ['application/json'];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { required, content, ...(description !== undefined && { description }) };
}

function formOf(fields: readonly JsonObject[], consumes: readonly string[]): JsonObject {
  const types = consumes.map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  const isMultipart =
    fields.some(({ type }) => type === 'file') || (types.includes(MULTIPART) && !types.includes(FORM));
  const properties: JsonObject = {};
  const encoding: JsonObject = {};
  for (const field of fields) {
    const name = textOf(field.name);
    properties[name] = {
      ...schemaOf(field),
      ...(field.description !== undefined && { description: field.description }),
    };
    encoding[name] = serialisation(field, isMultipart ? 'multipart' : 'form');
  }
  const required = fields.filter((field) => field.required === true).map(({ name }) => textOf(name));
  const schema: JsonObject = { type: 'object', properties, required };
  return { required: required.length > 0, content: { [isMultipart ? MULTIPART : FORM]: { schema, encoding } } };
}

function serialisation({ name, type, collectionFormat }: JsonObject, place: string): JsonObject {
  if (type !== 'array') return {};
  const format = typeof collectionFormat === 'string' ? collectionFormat : 'csv';
  const found = FORMATS[place]?.[format];
  if (found) return { ...found };
  throw new UnusableDocument(
    `its parameter \`${textOf(name)}\` has the \`collectionFormat\` \`${format}\`, which cannot be sent there. Correct the document, or remove the operation from \`include\`.`,
  );
}

/** Members of a parameter that are not keywords of its schema. */
const OTHER_MEMBERS = ['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue'];

function schemaOf(source: JsonObject): JsonObject {
  const schema = Object.fromEntries(Object.entries(source).filter(([key]) => !OTHER_MEMBERS.includes(key)));
  if (isJsonObject(schema.items)) schema.items = schemaOf(schema.items);
  return schema.type === 'file' ? { type: 'string', format: 'binary' } : schema;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
