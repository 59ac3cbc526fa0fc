import type { ConnectorKind } from './contract/connector.js';
import { MYSQL, POSTGRES } from './database/database.connector.js';
import { GIT } from './git/git.connector.js';
import { HTTP_API } from './http-api/http-api.connector.js';
import { SITEMAP, WEBSITE } from './website/website.connector.js';

export const CONNECTOR_KINDS = {
  website: WEBSITE,
  sitemap: SITEMAP,
  postgres: POSTGRES,
  mysql: MYSQL,
  http_api: HTTP_API,
  git: GIT,
} as const satisfies Readonly<Record<string, ConnectorKind>>;
