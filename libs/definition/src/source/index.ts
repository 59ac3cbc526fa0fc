export { findJsonMistake } from './json-reader.js';
