import { isJsonObject, type JsonValue } from '@app/kernel';
import { directionOf } from './vectors.js';

/**
 * `refused`: the provider rejects the request permanently. `unavailable`: a later attempt may succeed. `unusable`: the
 * response contains no valid vector, or the number of dimensions differs from the stored vectors.
 */
export type EmbeddingProblem = 'unknown_provider' | 'refused' | 'unavailable' | 'unusable';

/** The message is shown to people and contains no keys and no addresses. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  constructor(
    readonly problem: EmbeddingProblem,
    message: string,
    readonly retryAfterMillis: number | null = null,
    readonly isAboutTexts: boolean = false,
  ) {
    super(message);
  }

  get code(): string {
    return `embedding_${this.problem}`;
  }
}

/**
 * Reads the vectors from a response of `POST /embeddings` (OpenAI), in the order of the texts and scaled to length 1.
 */
export function readVectors(body: string, texts: number, dimensions: number | null): Float32Array[] {
  const data = listOf(body);
  if (data.length !== texts) throw unusable(`${data.length} vectors for ${texts} texts`);
  const vectors: Float32Array[] = [];
  for (const [place, entry] of data.entries()) {
    const { index = place, embedding } = isJsonObject(entry) ? entry : {};
    const vector = directionOf(numbersOf(embedding));
    if (typeof index !== 'number' || !(index in data) || !vector) throw unusable('an entry that is not a vector');
    vectors[index] = vector;
  }
  const wanted = dimensions ?? vectors[0]?.length ?? 0;
  // `Object.values` skips texts without a vector. The check below the loop reports them.
  for (const { length } of Object.values(vectors)) {
    if (length !== wanted) throw unusable(`a vector of ${length} dimensions instead of ${wanted}`);
  }
  if (Object.keys(vectors).length !== texts) throw unusable('no vector for some of the texts');
  return vectors;
}

export function providerMessage(body: string): string {
  const answer = parsed(body);
  const error = isJsonObject(answer) ? (answer.error ?? answer) : null;
  const words = isJsonObject(error) ? error.message : error;
  return typeof words === 'string' ? words.replace(/\s+/g, ' ').trim().slice(0, 300) : '';
}

export function retryAfterMillis(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

function listOf(body: string): JsonValue[] {
  const answer = parsed(body);
  const data = isJsonObject(answer) ? answer.data : undefined;
  if (Array.isArray(data)) return data;
  throw unusable('a body that is not a list of vectors');
}

function numbersOf(embedding: JsonValue | undefined): number[] {
  const isVector = Array.isArray(embedding) && embedding.every((each) => typeof each === 'number');
  return isVector ? embedding : [];
}

function parsed(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return null;
  }
}

function unusable(what: string): EmbeddingError {
  return new EmbeddingError('unusable', `The embedding provider returned ${what}.`);
}
