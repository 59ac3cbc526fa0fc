export { invalidRequest, type JsonShape, jsonShape } from './json-shape.js';
