export type {
  Connector,
  ConnectorKind,
  ConnectorTraits,
  ConnectorTools,
  ItemBatch,
  SourceVisit,
} from './contract/connector.js';
export type { ItemReading, IncomingDocument, KnownDocument, SourceItem } from './contract/items.js';
export type { AccessTokens, CrawledPages, FoundPage } from './contract/ports.js';
export { secretReferences, withHiddenRestored, withoutSecrets, withSecrets } from './contract/secret-references.js';
export { SourceError } from './contract/connector.js';
export { ConnectorsModule } from './connectors.module.js';
export { OAUTH_CONNECTORS } from './oauth/built-in-apis.js';
export { OauthConnector } from './oauth/oauth.connector.js';
export { readScopeChoices, type ScopeChoice, type ScopeChoices } from './oauth/scope-choices.js';
export { SourceProvidersService } from './oauth/source-providers.service.js';
export { RedactedConnector } from './shared/redacted-connector.js';
export { CONNECTOR_KINDS } from './registry.js';
