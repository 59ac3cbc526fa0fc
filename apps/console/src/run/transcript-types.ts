import type { aas } from '../data/api.js';

export type Transcript = Awaited<ReturnType<typeof aas.runs.transcript>>;
export type Turn = Transcript['turns'][number];
