import type { ExtractedText, ExtractionRequest } from './extracted-text.js';
import { extract } from './extract.js';

export function handle(request: ExtractionRequest): Promise<ExtractedText> {
  return extract(request);
}
