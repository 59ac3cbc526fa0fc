import { Injectable } from '@nestjs/common';
import type { ConnectorName } from './connector-config.js';
import type { Connector } from './connector.js';
import { ConnectorSet } from './connectors.js';
import { PostgresConnector } from './database/database.connector.js';
import { HttpApiConnector } from './http-api/http-api.connector.js';
import { UploadConnector } from './upload/upload.connector.js';
import { SitemapConnector, WebsiteConnector } from './website/website.connector.js';

/** The connectors that there are. */
@Injectable()
export class ServiceConnectors extends ConnectorSet {
  readonly byName: Readonly<Record<ConnectorName, Connector>>;

  constructor(
    website: WebsiteConnector,
    sitemap: SitemapConnector,
    postgres: PostgresConnector,
    httpApi: HttpApiConnector,
    upload: UploadConnector,
  ) {
    super();
    this.byName = { website, sitemap, postgres, http_api: httpApi, upload };
  }
}
