import type { ExtractedText, ExtractionRequest } from './extracted-text.js';
import { extract } from './extract.js';

/** Entry point of the child processes of ExtractionService. */
export function handle(request: ExtractionRequest): Promise<ExtractedText> {
  return extract(request);
}
