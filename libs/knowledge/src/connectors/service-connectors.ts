import { Injectable } from '@nestjs/common';
import type { ConnectorName } from './connector-config.js';
import type { Connector } from './connector.js';
import { ConnectorSet } from './connectors.js';
import { MysqlConnector, PostgresConnector } from './database/database.connector.js';
import { GitConnector } from './git/git.connector.js';
import { HttpApiConnector } from './http-api/http-api.connector.js';
import { UploadConnector } from './upload/upload.connector.js';
import { SitemapConnector, WebsiteConnector } from './website/website.connector.js';

/** Those that visit sites. */
@Injectable()
export class SiteConnectors {
  readonly byName: Readonly<Record<'website' | 'sitemap', Connector>>;

  constructor(website: WebsiteConnector, sitemap: SitemapConnector) {
    this.byName = { website, sitemap };
  }
}

/** Those that read databases. */
@Injectable()
export class DatabaseConnectors {
  readonly byName: Readonly<Record<'postgres' | 'mysql', Connector>>;

  constructor(postgres: PostgresConnector, mysql: MysqlConnector) {
    this.byName = { postgres, mysql };
  }
}

/** The connectors that there are. */
@Injectable()
export class ServiceConnectors extends ConnectorSet {
  readonly byName: Readonly<Record<ConnectorName, Connector>>;

  constructor(
    crawlers: SiteConnectors,
    databases: DatabaseConnectors,
    httpApi: HttpApiConnector,
    git: GitConnector,
    upload: UploadConnector,
  ) {
    super();
    this.byName = { ...crawlers.byName, ...databases.byName, http_api: httpApi, git, upload };
  }
}
