import type { ExtractedText, ExtractionRequest } from './extracted-text.js';
import { extract } from './extract.js';

/** What the processes of the ExtractionPool run. */
export function handle(request: ExtractionRequest): Promise<ExtractedText> {
  return extract(request);
}
