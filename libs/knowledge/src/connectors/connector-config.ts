import type { JsonObject } from '@app/kernel';
import { invalidRequest, jsonShape, type JsonShape } from '@app/platform/json-shape';
import { DATABASE_SHAPE, checkDatabase } from './database/database-config.js';
import { GIT_SHAPE, checkGit } from './git/git-config.js';
import { HTTP_API_SHAPE, checkHttpApi } from './http-api/http-api-config.js';
import { SITEMAP_SHAPE, checkSitemap, WEBSITE_SHAPE, checkWebsite } from './website/website-config.js';

/** Connectors whose sources can be added by API. */
export const CONNECTORS = ['website', 'sitemap', 'postgres', 'mysql', 'http_api', 'git', 'upload'] as const;
export type ConnectorName = (typeof CONNECTORS)[number];

interface ConfigRules {
  shape: JsonShape<JsonObject>;
  /** What a shape cannot say. Throws `invalid_request`. */
  check?: (config: JsonObject, at: string) => void;
}

const RULES: Readonly<Record<ConnectorName, ConfigRules>> = {
  website: { shape: WEBSITE_SHAPE, check: checkWebsite },
  sitemap: { shape: SITEMAP_SHAPE, check: checkSitemap },
  postgres: { shape: DATABASE_SHAPE, check: checkDatabase },
  mysql: { shape: DATABASE_SHAPE, check: checkDatabase },
  http_api: { shape: HTTP_API_SHAPE, check: checkHttpApi },
  git: { shape: GIT_SHAPE, check: checkGit },
  upload: { shape: jsonShape<JsonObject>({ type: 'object', additionalProperties: false, properties: {} }) },
};

/**
 * @param others names of connectors that are told of besides
 * @throws DomainError `invalid_request` for a connector that there is not
 */
export function knownConnector(name: string, others: readonly string[] = []): ConnectorName {
  const known = CONNECTORS.find((each) => each === name);
  if (known) return known;
  throw invalidRequest([
    { pointer: '/connector', detail: `connector must be one of ${[...CONNECTORS, ...others].join(', ')}.` },
  ]);
}

/**
 * A configuration, checked and completed by the defaults of its connector.
 * @throws DomainError `invalid_request` with pointers below `at`
 */
export function readConfig(connector: ConnectorName, given: JsonObject, at: string): JsonObject {
  const { shape, check } = RULES[connector];
  const config = shape.read(given, at);
  check?.(config, at);
  return config;
}
