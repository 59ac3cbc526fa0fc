import { isJsonObject, type JsonObject, type JsonValue, storableText } from '@app/kernel';
import { type HttpParameter, PARAMETER_PLACES, PARAMETER_STYLES } from '../model/compiled-tool.js';
import { type OpenapiDocument, UnusableDocument } from './openapi-document.js';
import { OpenapiSchemas } from './openapi-schemas.js';

/** Headers that cannot be parameters, because `auth` of the tool or the HTTP client sets them. */
const RESERVED_HEADERS = ['authorization', 'accept', 'content-type', 'cookie', 'host', 'content-length', 'user-agent'];

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
    const style =
      PARAMETER_STYLES.find((one) => one === source.style) ??
      (place === 'query' || place === 'cookie' ? 'form' : 'simple');
    const explode = typeof source.explode === 'boolean' ? source.explode : style === 'form' || style === 'deepObject';
    const property = this.add(place, name, schema, source.description, source.required === true || place === 'path');
    this.parameters.push({ property, name, in: place, style: content ? 'json' : style, explode });
  }

  addBody(source: JsonValue | undefined): void {
    const body = this.document.object(source);
    if (!body) return;
    const content = this.document.object(body.content) ?? {};
    const media = Object.entries(content).find(([type]) =>
      /^(application|\*)\/([\w.+-]*\+)?(json|\*)\s*(;|$)/i.test(type),
    );
    if (!media) {
      // A body without a media type is ignored if it is optional. Any other body that is not JSON is an error.
      if (body.required !== true && Object.keys(content).length === 0) return;
      throw new UnusableDocument(
        `its body has the media type ${Object.keys(content).join(' or ') || '(none)'}, but only JSON bodies are supported.`,
      );
    }
    const schema = isJsonObject(media[1]) ? media[1].schema : undefined;
    const members = this.membersOf(schema);
    if (!members) {
      const property = this.add('body', 'body', schema, body.description, body.required === true);
      this.parameters.push({ property, name: '', in: 'body', style: 'json', explode: false });
      return;
    }
    this.isOpen = members.isOpen;
    for (const [name, member] of Object.entries(members.properties)) {
      const target = this.document.object(member);
      if (target?.readOnly === true) continue;
      const required = body.required === true && members.required.includes(name);
      const property = this.add('body', name, member, undefined, required);
      this.parameters.push({ property, name, in: 'body', style: 'json', explode: false });
    }
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
