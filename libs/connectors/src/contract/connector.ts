import type { Clock, JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { ExtractedText, ExtractionRequest } from '@app/platform/extraction';
import { type JsonShape, jsonShape } from '@app/platform/json-shape';
import type { Reason, SkippedItem, SourceItem } from './items.js';
import type { AccessTokens, CrawledPages } from './ports.js';

/** One visit of a source: what the connector reads, and what it may use. */
export interface SourceVisit {
  /** Completed by its defaults, with the values of its secrets. Never logged. */
  config: JsonObject;
  /** The checkpoint of the last batch that was carried out, where the visit continues after its worker died. */
  readonly checkpoint: JsonObject | null;
  /** Aborts when the sync is cancelled, lost or released. */
  signal: AbortSignal;
  /** The pages that this visit has found so far. */
  pages: CrawledPages;
  /** The access tokens of this source, where a person has authorised it. */
  tokens: AccessTokens;
  /** Reads a document in a process of its own. @throws DocumentError */
  extract(request: ExtractionRequest): Promise<ExtractedText>;
  /** Reports that the visit cannot see everything: the sync continues, but deletes nothing at its end. */
  isIncomplete(reason: Reason): void;
}

/** Items that are carried out together, before the connector is asked for the next batch. */
export interface ItemBatch {
  items: readonly SourceItem[];
  /**
   * Where a visit continues once these items have been carried out; it is recorded with them. A visit without a checkpoint starts over, and
   * the items that the sync has met are passed over.
   */
  checkpoint?: JsonObject;
  /** Pages of a crawl that are done once these items have been carried out. */
  visited?: readonly string[];
  /** The number of all items, where it is known. */
  total?: number;
  /** Everything in the source that is not read, and why. It replaces the list of an earlier batch. */
  skipped?: readonly SkippedItem[];
}

/** Reads the sources of one kind. */
export interface Connector {
  /** Items that are read at the same time. */
  readonly parallelism: number;
  /** Whether its list of items is complete beyond doubt: then the deletion guard does not hold its deletions. */
  readonly isAuthoritative: boolean;
  /** @throws SourceError where the source cannot be read */
  enumerate(visit: SourceVisit): AsyncIterable<ItemBatch>;
}

/** What connectors are made with. */
export interface ConnectorTools {
  egress: EgressClient;
  clock: Clock;
}

/** One kind of source: how it is configured, and how it is read. */
export interface ConnectorKind {
  /**
   * A configuration, checked and completed by the defaults of its schema.
   * @throws DomainError `invalid_request` with pointers below `at`
   */
  readConfig(given: JsonObject, at: string): JsonObject;
  open(tools: ConnectorTools): Connector;
}

/** What a configuration of `Config` looks like; `check` is what a schema cannot say, and throws `invalid_request`. */
export interface ConfigRules<Config extends JsonObject> {
  schema: JsonObject;
  check?: (config: Config, at: string) => void;
}

/** The kind whose configurations follow the rules. The schema is the only description of a configuration. */
export function connectorKind<Config extends JsonObject>(
  { schema, check }: ConfigRules<Config>,
  open: ConnectorKind['open'],
): ConnectorKind {
  const shape: JsonShape<Config> = jsonShape<Config>(schema);
  return {
    readConfig(given, at) {
      const config = shape.read(given, at);
      check?.(config, at);
      return config;
    },
    open,
  };
}
