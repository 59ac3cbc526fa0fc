interface Property {
  default?: unknown;
  description?: string;
}

interface Schema {
  required?: readonly string[];
  properties?: Record<string, Property>;
}

/**
 * Writes the defaults of optional fields into their descriptions. Generators take a field with the keyword `default`
 * for a field that is always there, and then require it in requests.
 */
export function describeDefaults(schemas: object): void {
  for (const { properties = {}, required = [] } of Object.values(schemas) as Schema[])
    for (const [name, property] of Object.entries(properties)) {
      if (property.default === undefined || required.includes(name)) continue;
      const value = typeof property.default === 'string' ? property.default : JSON.stringify(property.default);
      const text = value === '' ? 'Default: empty.' : `Default: \`${value}\`.`;
      property.description = property.description ? `${property.description} ${text}` : text;
      delete property.default;
    }
}
