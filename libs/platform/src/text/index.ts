/** Decodes the bytes of text from outside: responses, webhooks, documents and mails. */
export { charsetOf, decodeBytes, type DecodedText, decodeText, type TextOrigin } from './decode-text.js';
