/** Extracts text from HTML, Markdown, PDF and DOCX in processes that have access to the document only. */
export { DocumentError } from './document-error.js';
export { checkLength, type ExtractedText, type ExtractionRequest } from './extracted-text.js';
export { ExtractionService } from './extraction.service.js';
export { MOST_LINKS } from './html-document-text.js';
export { essenceOf, mediaKind, READABLE_TYPES } from './media-kind.js';
export { READER_VERSION } from './reader-version.js';
