import type { Clock, ErrorPlace, JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { ExtractedText, ExtractionRequest } from '@app/platform/extraction';
import { type JsonShape, jsonShape } from '@app/platform/json-shape';
import type { Reason, SkippedItem, SourceItem } from './items.js';
import type { AccessTokens, CrawledPages } from './ports.js';

/** One read of a source by a sync: its configuration, its checkpoint and the services that the connector may call. */
export interface SourceVisit {
  /** The configuration, with its defaults and the values of its secrets. It must not be logged. */
  config: JsonObject;
  /** The checkpoint of the last processed batch, from which an interrupted sync continues; null if there is none. */
  readonly checkpoint: JsonObject | null;
  /** Aborts when the sync is cancelled or released, or when another worker claims it. */
  signal: AbortSignal;
  /** The pages that this visit has found so far. */
  pages: CrawledPages;
  /** The access tokens of this source, if a person has authorised it. */
  tokens: AccessTokens;
  /** Extracts the text of a document in a separate process. @throws DocumentError */
  extract(request: ExtractionRequest): Promise<ExtractedText>;
  /**
   * Reports that some items of the source cannot be read. The sync continues, but does not delete the documents that it
   * did not find.
   */
  reportIncomplete(reason: Reason): void;
}

/** A batch of items. The sync processes it before it requests the next batch from the connector. */
export interface ItemBatch {
  items: readonly SourceItem[];
  /**
   * The position after these items, from which an interrupted sync continues. It is stored in the transaction that
   * records the items. Without a checkpoint, the connector lists all items again, and the sync skips those that it has
   * already processed.
   */
  checkpoint?: JsonObject;
  /** URLs of crawled pages that need not be read again after these items have been processed. */
  visited?: readonly string[];
  /** Total number of items, if known. */
  total?: number;
  /**
   * All items of the source that the connector does not read, with the reasons. Replaces the list of an earlier batch.
   */
  skipped?: readonly SkippedItem[];
}

/** Reads sources of one kind. */
export interface Connector {
  /** Number of items that are read at the same time. */
  readonly parallelism: number;
  /**
   * Whether `enumerate` always yields all items of the source. If true, a sync deletes missing documents without the
   * deletion guard.
   */
  readonly isAuthoritative: boolean;
  /** @throws SourceError if the source cannot be read */
  enumerate(visit: SourceVisit): AsyncIterable<ItemBatch>;
}

export interface ConnectorTools {
  egress: EgressClient;
  clock: Clock;
}

export interface ConnectorTraits {
  /** Display name of the system. */
  title: string;
  /** `secret`: the configuration can refer to secrets. */
  auth: 'none' | 'secret';
}

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

/** The rules for a configuration. `check` covers what a schema cannot express, and throws `invalid_request`. */
export interface ConfigRules<Config extends JsonObject> {
  schema: JsonObject;
  check?: (config: Config, at: string) => void;
}

/** Whether a string is an absolute http or https URL without a user name or password. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

export function wrongUrl(pointer: string): ErrorPlace {
  return { pointer, detail: 'This value must be an absolute http or https URL without a user name or password.' };
}

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

/** Thrown if the source cannot be read. The sync fails with this message, and indexed documents are kept. */
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
