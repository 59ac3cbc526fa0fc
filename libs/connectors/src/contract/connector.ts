import type { Clock, JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { ExtractedText, ExtractionRequest } from '@app/platform/extraction';
import { type JsonShape, jsonShape } from '@app/platform/json-shape';
import type { Reason, SkippedItem, SourceItem } from './items.js';
import type { AccessTokens, CrawledPages } from './ports.js';

/** One reading of a source: its configuration, its checkpoint and the services that the connector may call. */
export interface SourceVisit {
  /** Has its defaults and the values of its secrets. Never logged. */
  config: JsonObject;
  /** The checkpoint of the last processed batch. A visit continues here after its worker died. */
  readonly checkpoint: JsonObject | null;
  /** Aborts when the sync is cancelled, lost or released. */
  signal: AbortSignal;
  /** The pages that this visit has found so far. */
  pages: CrawledPages;
  /** The access tokens of this source, if a person has authorised it. */
  tokens: AccessTokens;
  /** Reads a document in a process of its own. @throws DocumentError */
  extract(request: ExtractionRequest): Promise<ExtractedText>;
  /** Reports that the visit cannot see the whole source. The sync continues, but deletes nothing at its end. */
  reportIncomplete(reason: Reason): void;
}

/** Items that the sync processes before it asks the connector for the next batch. */
export interface ItemBatch {
  items: readonly SourceItem[];
  /**
   * Where a visit continues after these items; stored in the transaction that records them. A visit without a
   * checkpoint starts over and skips the items that the sync has already processed.
   */
  checkpoint?: JsonObject;
  /** Pages of a crawl that are done when these items have been processed. */
  visited?: readonly string[];
  /** The number of all items, if it is known. */
  total?: number;
  /** Everything in the source that is not read, with the reasons. Replaces the list of an earlier batch. */
  skipped?: readonly SkippedItem[];
}

/** Reads the sources of one kind. */
export interface Connector {
  /** The number of items that are read at the same time. */
  readonly parallelism: number;
  /** Whether its list of items is certainly complete. If so, the deletion guard does not hold its deletions. */
  readonly isAuthoritative: boolean;
  /** @throws SourceError if the source cannot be read */
  enumerate(visit: SourceVisit): AsyncIterable<ItemBatch>;
}

/** The services that every connector is created with. */
export interface ConnectorTools {
  egress: EgressClient;
  clock: Clock;
}

/** What people need to know of a kind before they add a source. */
export interface ConnectorTraits {
  /** Name of the system for people. */
  title: string;
  /** `secret`: the configuration can refer to secrets. */
  auth: 'none' | 'secret';
}

/** One kind of source: its configuration and its connector. */
export interface ConnectorKind extends ConnectorTraits {
  /** JSON Schema of a configuration. */
  schema: JsonObject;
  /**
   * Checks a configuration and adds the defaults of its schema.
   * @throws DomainError `invalid_request` with pointers below `at`
   */
  readConfig(given: JsonObject, at: string): JsonObject;
  open(tools: ConnectorTools): Connector;
}

/** The rules for a `Config`. `check` has the rules that a schema cannot express and throws `invalid_request`. */
export interface ConfigRules<Config extends JsonObject> {
  schema: JsonObject;
  check?: (config: Config, at: string) => void;
}

/** A kind whose configurations follow these rules. */
export function connectorKind<Config extends JsonObject>(
  traits: ConnectorTraits,
  { schema, check }: ConfigRules<Config>,
  open: ConnectorKind['open'],
): ConnectorKind {
  const shape: JsonShape<Config> = jsonShape<Config>(schema);
  return {
    ...traits,
    schema,
    readConfig(given, at) {
      const config = shape.read(given, at);
      check?.(config, at);
      return config;
    },
    open,
  };
}

/** The source cannot be read. The sync fails with this message, and indexed documents stay. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly code: string,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
