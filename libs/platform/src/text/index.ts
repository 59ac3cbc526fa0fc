export { charsetOf, decodeBytes, type DecodedText, decodeText, type TextOrigin } from './decode-text.js';
