import { type ApiDocument, resolved } from './openapi-contract.js';

/**
 * Returns the names in an OpenAPI document on which clients rely: operations, parameters, fields of schemas and values
 * of enums. Each name is one line. `packages/sdk/openapi.names.txt` contains the names of all releases. A test compares
 * both lists to find removed names.
 */
export function namesOf(document: ApiDocument): string[] {
  const { paths, components } = resolved(document);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, parameters = [] }]) => [
      `operation ${operationId} ${method.toUpperCase()} ${path}`,
      ...parameters.flatMap(({ name, schema }) => {
        const place = `${operationId} ${name}`;
        return [`parameter ${place}`, ...valuesOf(schema).map((value) => `value ${place} ${value}`)];
      }),
    ]),
  );
  const fields = Object.entries(components.schemas).flatMap(([name, schema]) => [
    ...valuesOf({ ...schema, properties: undefined }).map((value) => `value ${name} ${value}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([member, property]) => {
      const place = `${name}.${member}`;
      return [`field ${place}`, ...valuesOf(property).map((value) => `value ${place} ${value}`)];
    }),
  ]);
  return [...new Set([...operations, ...fields])].sort();
}

/** Returns the enum values in a schema, but not those of nested objects, because these are separate components. */
function valuesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(valuesOf);
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'enum' && Array.isArray(value)) return value.map((each) => JSON.stringify(each));
    return ['items', 'oneOf', 'anyOf', 'allOf'].includes(key) ? valuesOf(value) : [];
  });
}
