/** Validates free-form parts of requests with a JSON Schema. Errors name the invalid fields by JSON Pointer. */
export { invalidRequest, type JsonShape, jsonShape } from './json-shape.js';
