import { bundledDocument, describeOpenapi, type FurtherDocument, type OpenapiSource } from '@app/definition';
import type { JsonObject } from '@app/kernel';

export interface OpenapiRequest {
  /** The document itself, or its text as JSON or YAML. */
  readonly content: string | JsonObject;
  readonly further: readonly FurtherDocument[];
  readonly source: OpenapiSource;
}

export type OpenapiDescription = ReturnType<typeof describeOpenapi>;

/** @throws UnusableDocument */
export function handle({ content, further, source }: OpenapiRequest): OpenapiDescription {
  return describeOpenapi(bundledDocument(content, source.url, further), source);
}
