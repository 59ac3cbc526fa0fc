import { describeOpenapi, OpenapiDocument, type OpenapiSource } from '@app/definition';

export interface OpenapiRequest {
  /** The document, as JSON or YAML. */
  readonly text: string;
  readonly source: OpenapiSource;
}

export type OpenapiDescription = ReturnType<typeof describeOpenapi>;

/**
 * Entry point of the child processes of OpenapiReaderService.
 * @throws UnusableDocument
 */
export function handle({ text, source }: OpenapiRequest): OpenapiDescription {
  return describeOpenapi(OpenapiDocument.read(text), source);
}
