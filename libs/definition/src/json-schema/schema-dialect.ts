/** Below these stand names that authors choose, each with a schema. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'patternProperties',
  'dependentSchemas',
]);
/** Below these stands data. */
export const SCHEMA_DATA: ReadonlySet<string> = new Set(['const', 'default', 'examples', 'enum']);
