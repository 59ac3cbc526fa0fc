import type { Clock, ErrorPlace, JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { ExtractedText, ExtractionRequest } from '@app/platform/extraction';
import { type JsonShape, jsonShape } from '@app/platform/json-shape';
import type { Reason, SkippedItem, SourceItem } from './items.js';
import type { AccessTokens, CrawledPages } from './ports.js';

export interface SourceVisit {
  /** It must not be logged. */
  config: JsonObject;
  /** The checkpoint of the last processed batch, from which an interrupted sync continues; null if there is none. */
  readonly checkpoint: JsonObject | null;
  signal: AbortSignal;
  pages: CrawledPages;
  tokens: AccessTokens;
  /** @throws DocumentError */
  extract(request: ExtractionRequest): Promise<ExtractedText>;
  /** The sync continues, but does not delete the documents that it did not find. */
  reportIncomplete(reason: Reason): void;
}

/** The sync processes it before it requests the next batch from the connector. */
export interface ItemBatch {
  items: readonly SourceItem[];
  /**
   * The position after these items, from which an interrupted sync continues. It is stored in the transaction that
   * records the items.
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

export interface Connector {
  readonly parallelism: number;
  /**
   * Whether `enumerate` always yields all items of the source. If true, a sync deletes missing documents without the
   * deletion guard.
   */
  readonly isAuthoritative: boolean;
  enumerate(visit: SourceVisit): AsyncIterable<ItemBatch>;
}

export interface ConnectorTools {
  egress: EgressClient;
  clock: Clock;
}

export interface ConnectorTraits {
  title: string;
  /** What a source of this kind reads, as one sentence. */
  description: string;
  /** `secret`: the configuration can refer to secrets. */
  auth: 'none' | 'secret';
}

export interface ConnectorKind extends ConnectorTraits {
  schema: JsonObject;
  /** @throws DomainError `invalid_request` with pointers below `at` */
  readConfig(given: JsonObject, at: string): JsonObject;
  open(tools: ConnectorTools): Connector;
}

/** `check` covers what a schema cannot express, and throws `invalid_request`. */
export interface ConfigRules<Config extends JsonObject> {
  schema: JsonObject;
  check?: (config: Config, at: string) => void;
}

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
