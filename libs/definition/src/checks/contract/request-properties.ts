import { isJsonObject, type JsonObject } from '@app/kernel';
import type { ToolOperation } from '../../model/compiled-tool.js';

/** The declared properties of an operation's request; undefined where any object is accepted. */
export function propertiesOf(operation: ToolOperation): JsonObject | undefined {
  const properties = operation.request?.schema.properties;
  return isJsonObject(properties) && Object.keys(properties).length > 0 ? properties : undefined;
}

/** The properties that an operation's request must have. */
export function requiredOf(operation: ToolOperation): string[] {
  const required = operation.request?.schema.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
