import { isJsonObject, type JsonObject, type JsonValue, storableText } from '@app/kernel';
import { type DescribedBody, type HttpParameter, PARAMETER_PLACES } from '../model/compiled-tool.js';
import { type OpenapiDocument, UnusableDocument } from './openapi-document.js';
import { OpenapiSchemas } from './openapi-schemas.js';

/** Headers that cannot be parameters, because `auth` of the tool or the HTTP client sets them. */
const RESERVED_HEADERS = ['authorization', 'accept', 'content-type', 'cookie', 'host', 'content-length', 'user-agent'];

/** Styles by place (OpenAPI 3.1.1, section 4.8.12.2). The first one is the default. */
const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
} as const;

/** A file in a request, as in `http` tools. */
const FILE: JsonObject = {
  type: 'object',
  description: 'A file: its content as `base64` or `text`.',
  properties: {
    base64: { type: 'string' },
    text: { type: 'string' },
    filename: { type: 'string' },
    content_type: { type: 'string' },
  },
};

/**
 * Maximum number of schemas that `allOf` may combine for one body. The schemas may refer to one another, so their
 * number can grow exponentially.
 */
const MAX_COMBINED = 500;

/**
 * Describes the parameters and the body of an operation as one flat request object. A property has the name of its
 * parameter, or `<place>_<name>` if that name is taken. If the body is a JSON object, its properties become properties
 * of the request. Any other body becomes the property `body`.
 */
export class OpenapiRequest {
  readonly parameters: HttpParameter[] = [];
  /** Undefined if the operation has no body. */
  body: DescribedBody | undefined;
  private readonly properties: JsonObject = {};
  private readonly required: string[] = [];
  private readonly schemas: OpenapiSchemas;
  private isOpen = false;
  private combined = 0;

  constructor(private readonly document: OpenapiDocument) {
    this.schemas = new OpenapiSchemas(document);
  }

  get schema(): JsonObject {
    const { definitions } = this.schemas;
    const { jsonSchemaDialect } = this.document.root;
    return {
      ...(typeof jsonSchemaDialect === 'string' && { $schema: jsonSchemaDialect }),
      type: 'object',
      properties: this.properties,
      ...(this.required.length > 0 && { required: this.required }),
      ...(!this.isOpen && { additionalProperties: false }),
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    };
  }

  addParameter(source: JsonObject): void {
    const { name } = source;
    const place = PARAMETER_PLACES.find((one) => one === source.in);
    if (typeof name !== 'string' || !place || place === 'body') return;
    if (place === 'header' && RESERVED_HEADERS.includes(name.toLowerCase())) return;
    const content = this.document.object(source.content);
    const schema = content ? Object.values(content).find(isJsonObject)?.schema : source.schema;
    const style = content ? 'json' : styleOf(place, name, source.style);
    const property = this.add(place, name, schema, source.description, source.required === true || place === 'path');
    this.parameters.push({
      property,
      name,
      in: place,
      style,
      explode: explodes(style, source),
      ...(source.allowReserved === true && { allowReserved: true }),
    });
  }

  /** @throws UnusableDocument if the body is required and none of its media types can be sent */
  addBody(source: JsonValue | undefined): void {
    const body = this.document.object(source);
    if (!body) return;
    const isRequired = body.required === true;
    const media = preferredMedia(this.document.object(body.content) ?? {});
    if (!media) {
      if (!isRequired) return;
      const types = Object.keys(this.document.object(body.content) ?? {}).join(' or ') || '(none)';
      throw new UnusableDocument(`its body has the media type ${types}, which the service cannot send.`);
    }
    const { kind, contentType, object } = media;
    this.body = { kind, contentType, isRequired };
    const schema = contentSchemaOf(kind, object.schema);
    const members = isMembersKind(kind) ? this.membersOf(schema) : undefined;
    if (!members) {
      const property = this.add('body', 'body', schema, body.description, isRequired);
      this.parameters.push({ property, name: '', in: 'body', style: 'json', explode: false });
      return;
    }
    this.addFields(members, this.body, this.document.object(object.encoding) ?? {});
  }

  private addFields(members: Members, { kind, isRequired }: DescribedBody, encoding: JsonObject): void {
    this.isOpen = members.isOpen;
    for (const [name, member] of Object.entries(members.properties)) {
      const target = this.document.object(member);
      if (target?.readOnly === true) continue;
      const required = isRequired && members.required.includes(name);
      const property = this.add(
        'body',
        name,
        kind === 'multipart' ? this.partOf(target, member) : member,
        undefined,
        required,
      );
      const style =
        kind === 'json'
          ? ({ style: 'json', explode: false } as const)
          : fieldStyle(this.document.object(encoding[name]));
      this.parameters.push({ property, name, in: 'body', ...style });
    }
  }

  /** Returns the schema of a part of a multipart body. A part with bytes is a file. */
  private partOf(target: JsonObject | undefined, member: JsonValue): JsonValue {
    if (isBinary(target)) return FILE;
    const items = target?.type === 'array' ? this.document.object(target.items) : undefined;
    return isBinary(items) ? { type: 'array', items: FILE } : member;
  }

  private add(
    place: string,
    name: string,
    schema: JsonValue | undefined,
    description: JsonValue | undefined,
    required: boolean,
  ): string {
    const property = Object.hasOwn(this.properties, name) ? `${place}_${name}` : name;
    const described: JsonObject =
      typeof description === 'string' ? { description: storableText(description.slice(0, 1_000)) } : {};
    this.properties[property] = { ...described, ...this.schemas.schema(schema) };
    if (required) this.required.push(property);
    return property;
  }

  /**
   * Returns the properties of a schema that only declares the properties of an object; undefined for any other schema.
   */
  private membersOf(source: JsonValue | undefined, depth = 0): Members | undefined {
    this.combined += 1;
    if (this.combined > MAX_COMBINED)
      throw new UnusableDocument(`its body combines more than ${MAX_COMBINED} schemas with \`allOf\`.`);
    const schema = this.document.object(source);
    if (
      !schema ||
      depth > 8 ||
      ['oneOf', 'anyOf', 'not', 'if', '$dynamicRef', 'patternProperties'].some((key) => key in schema)
    )
      return undefined;
    if (schema.type !== undefined && schema.type !== 'object') return undefined;
    const parts = Array.isArray(schema.allOf) ? schema.allOf.map((part) => this.membersOf(part, depth + 1)) : [];
    if (parts.some((part) => part === undefined) || (!isJsonObject(schema.properties) && parts.length === 0))
      return undefined;
    const own: Members = {
      properties: isJsonObject(schema.properties) ? schema.properties : {},
      required: Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [],
      isOpen: schema.additionalProperties === true || isJsonObject(schema.additionalProperties),
    };
    return [...parts, own].reduce<Members>((all, part) => (part ? merged(all, part) : all), {
      properties: {},
      required: [],
      isOpen: false,
    });
  }
}

interface Members {
  properties: JsonObject;
  required: string[];
  isOpen: boolean;
}

function merged(a: Members, b: Members): Members {
  return {
    properties: { ...a.properties, ...b.properties },
    required: [...a.required, ...b.required],
    isOpen: a.isOpen || b.isOpen,
  };
}

interface Media {
  readonly kind: DescribedBody['kind'];
  readonly contentType: string;
  readonly object: JsonObject;
}

/** The kinds of bodies, in the order of preference. `application/*` and `*\/*` are taken as JSON. */
const KINDS: readonly (readonly [kind: DescribedBody['kind'], type: RegExp])[] = [
  ['json', /^application\/json$/],
  ['json', /^[^/]+\/([^/]+\+)?json$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['multipart', /^multipart\/form-data$/],
  ['json', /^(application|\*)\/\*$/],
  ['text', /^(text\/.+|application\/(xml|graphql|yaml|x-yaml|sql|javascript)|.+\+(xml|yaml))$/],
  ['binary', /^(?!multipart\/)/],
];

function preferredMedia(content: JsonObject): Media | undefined {
  for (const [kind, pattern] of KINDS) {
    for (const [contentType, object] of Object.entries(content)) {
      const essence = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      if (pattern.test(essence)) return { kind, contentType, object: isJsonObject(object) ? object : {} };
    }
  }
  return undefined;
}

function fieldStyle(encoding: JsonObject | undefined): Pick<HttpParameter, 'style' | 'explode'> {
  const style = STYLES.query.find((one) => one === encoding?.style) ?? 'form';
  return { style, explode: explodes(style, encoding) };
}

/** @throws UnusableDocument if OpenAPI does not define the style for this place */
function styleOf(place: keyof typeof STYLES, name: string, given: JsonValue | undefined): HttpParameter['style'] {
  const styles: readonly HttpParameter['style'][] = STYLES[place];
  const style = styles.find((one) => one === (given ?? styles[0]));
  if (style) return style;
  const shown = JSON.stringify(given);
  throw new UnusableDocument(
    `its ${place} parameter \`${name}\` has the style ${shown}, which OpenAPI does not define there.`,
  );
}

function explodes(style: HttpParameter['style'], source: JsonObject | undefined): boolean {
  return typeof source?.explode === 'boolean' ? source.explode : style === 'form' || style === 'deepObject';
}

/** Whether a schema stands for bytes: `format: binary` in OpenAPI 3.0, a media type without an encoding in 3.1. */
function isBinary(schema: JsonObject | undefined): boolean {
  if (schema?.format === 'binary') return true;
  return typeof schema?.contentMediaType === 'string' && schema.contentEncoding === undefined;
}

function isMembersKind(kind: DescribedBody['kind']): boolean {
  return kind !== 'binary' && kind !== 'text';
}

function contentSchemaOf(kind: DescribedBody['kind'], schema: JsonValue | undefined): JsonValue | undefined {
  if (kind === 'binary') return FILE;
  return kind === 'text' ? { type: 'string' } : schema;
}
