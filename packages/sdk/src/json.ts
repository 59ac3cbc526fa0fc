/** A JSON object of any shape. */
export type JsonObject = Record<string, unknown>;
