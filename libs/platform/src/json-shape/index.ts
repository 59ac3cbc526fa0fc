/** Free-form parts of requests, checked by a JSON Schema and refused with pointers. */
export { invalidRequest, type JsonShape, jsonShape } from './json-shape.js';
