import { CONNECTOR_KINDS } from '@app/connectors';
import type { JsonObject } from '@app/kernel';
import { invalidRequest, jsonShape } from '@app/platform/json-shape';

type ConfiguredKind = keyof typeof CONNECTOR_KINDS;

/** Connectors whose sources need no authorisation by a person. */
export const CONNECTORS = [...(Object.keys(CONNECTOR_KINDS) as ConfiguredKind[]), 'upload'] as const;
export type ConnectorName = (typeof CONNECTORS)[number];

export const UPLOAD_SCHEMA: JsonObject = { type: 'object', additionalProperties: false, properties: {} };
const EMPTY = jsonShape<JsonObject>(UPLOAD_SCHEMA);

export function knownConnector(name: string, others: readonly string[] = []): ConnectorName {
  const known = CONNECTORS.find((each) => each === name);
  if (known) return known;
  throw invalidRequest([
    { pointer: '/connector', detail: `connector must be one of ${[...CONNECTORS, ...others].join(', ')}.` },
  ]);
}

export function readConfig(connector: ConnectorName, given: JsonObject, at: string): JsonObject {
  return connector === 'upload' ? EMPTY.read(given, at) : CONNECTOR_KINDS[connector].readConfig(given, at);
}
