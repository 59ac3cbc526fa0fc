export {
  DocumentError,
  checkLength,
  type ExtractedText,
  type ExtractionRequest,
  type PageRange,
  parsePages,
  READER_VERSION,
} from './extracted-text.js';
export { ExtractionModule } from './extraction.module.js';
export { ExtractionService } from './extraction.service.js';
export { MAX_LINKS } from './html-document-text.js';
export { essenceOf, mediaKind, READABLE_TYPES } from './media-kind.js';
