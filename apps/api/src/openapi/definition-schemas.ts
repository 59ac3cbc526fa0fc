import { AGENT_V1_SCHEMA } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { pascalCase } from './schema-names.js';

const ROOT = 'AgentDefinition';

/**
 * A variant of a schema. An `if` selects it if the field `member` has the value `value`. If `value` is undefined, the
 * presence of the field is enough.
 */
interface Variant {
  member: string;
  value: string | undefined;
  schema: JsonObject;
}

/**
 * Returns the definition format as components for clients. The schema for validation uses `if`, so that an error refers
 * to the kind that the author meant. Code generators need one schema without `if` for each kind, so this function
 * derives these schemas from the schema for validation.
 */
export function definitionSchemas(): Record<string, JsonObject> {
  const { $schema: _schema, $id: _id, $defs, ...root } = AGENT_V1_SCHEMA;
  const components: Record<string, JsonObject> = {};
  components[ROOT] = flat(root, '', components);
  for (const [name, schema] of Object.entries(isJsonObject($defs) ? $defs : {})) {
    if (isJsonObject(schema)) components[ROOT + pascalCase(name)] = flat(schema, name, components);
  }
  return components;
}

/** Returns the schema without `if`. Adds each variant to `components`. */
function flat(schema: JsonObject, name: string, components: Record<string, JsonObject>): JsonObject {
  const { if: condition, then: whenTrue, else: whenFalse, ...open } = schema;
  const described = withoutExtensions(open);
  const variants = variantsOf(schema);
  if (variants.length > 0) return unionOf(schema, name, variants, components);
  const alternatives = [whenTrue, whenFalse].filter(isJsonObject);
  // A condition on the type selects between a string and an object. All other conditions are omitted, because they only
  // restrict the values of properties.
  if (isJsonObject(condition) && condition.type !== undefined) {
    const oneOf = alternatives.map((each) => flat(each, name, components));
    return { ...(described.description !== undefined && { description: described.description }), oneOf };
  }
  const inner = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(inner);
    return isJsonObject(value) ? flat(value, name, components) : value;
  };
  return Object.fromEntries(
    Object.entries(withoutConditions(described)).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string') return [key, componentOf(value)];
      if (key === 'default' || key === 'const' || key === 'enum') return [key, value];
      return [key, key === 'properties' ? membersOf(value, name, components) : inner(value)];
    }),
  );
}

const UNIONS = ['allOf', 'anyOf', 'oneOf'];
const CONDITIONS = ['if', 'then', 'else', 'required'];

/** Removes the parts that only state which fields depend on each other, because types cannot express such rules. */
function withoutConditions(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) => !UNIONS.includes(key) || !(Array.isArray(value) && value.every(isCondition)),
    ),
  );
}

function isCondition(part: JsonValue): boolean {
  return isJsonObject(part) && Object.keys(part).every((key) => CONDITIONS.includes(key));
}

/** Removes the rule that unknown keys begin with `x-`. Types cannot express it, but the service checks it. */
function withoutExtensions({ patternProperties, additionalProperties, ...schema }: JsonObject): JsonObject {
  return {
    ...schema,
    ...(patternProperties === undefined && additionalProperties !== undefined && { additionalProperties }),
  };
}

/** Separate from `flat`, because a property may be named `if`. */
function membersOf(properties: JsonValue, name: string, components: Record<string, JsonObject>): JsonObject {
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.map(([member, schema]) => [member, isJsonObject(schema) ? flat(schema, name, components) : schema]),
  );
}

function variantsOf({ allOf }: JsonObject): Variant[] {
  return (Array.isArray(allOf) ? allOf : []).filter(isJsonObject).flatMap(({ if: condition, then: schema }) => {
    const [member] = isJsonObject(condition) && Array.isArray(condition.required) ? condition.required : [];
    if (!isJsonObject(condition) || typeof member !== 'string' || !isJsonObject(schema)) return [];
    // The value of the member decides only which other fields are required.
    if (isCondition(schema)) return [];
    const selector = isJsonObject(condition.properties) ? condition.properties[member] : undefined;
    const value = isJsonObject(selector) && typeof selector.const === 'string' ? selector.const : undefined;
    return [{ member, value, schema }];
  });
}

function unionOf(
  { description }: JsonObject,
  name: string,
  variants: readonly Variant[],
  components: Record<string, JsonObject>,
): JsonObject {
  const references = variants.map((variant) => {
    const { member, value, schema } = variant;
    const component = ROOT + pascalCase(value ?? member) + pascalCase(name);
    components[component] = selectedBy(flat(schema, name, components), variant);
    return { value, $ref: `#/components/schemas/${component}` };
  });
  const [first] = variants;
  const mapping = Object.fromEntries(
    references.flatMap(({ value, $ref }) => (value === undefined ? [] : [[value, $ref]])),
  );
  return {
    description: description ?? `One of the kinds of ${name}.`,
    oneOf: references.map(({ $ref }) => ({ $ref })),
    ...(first?.value !== undefined && { discriminator: { propertyName: first.member, mapping } }),
  };
}

/** Makes the field that selects the variant required. If the variant has a `value`, the field must have this value. */
function selectedBy(schema: JsonObject, { member, value }: Variant): JsonObject {
  const { properties, required } = schema;
  const others = Array.isArray(required) ? required.filter((each) => each !== member) : [];
  const type = { type: 'string', enum: [value ?? ''], description: 'Kind.' };
  const members = isJsonObject(properties) ? properties : {};
  return {
    ...schema,
    required: [...others, member],
    properties: value === undefined ? members : { ...members, [member]: type },
  };
}

function componentOf(pointer: string): string {
  return `#/components/schemas/${ROOT}${pascalCase(pointer.replace('#/$defs/', ''))}`;
}
