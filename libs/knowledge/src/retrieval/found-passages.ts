/** A passage that answers a question. */
export interface FoundPassage {
  document: { id: string; title: string; url: string | null; version: number };
  /** Its place among the document's passages, from 0. */
  chunk: number;
  /** The headings it stands below. */
  heading: string;
  text: string;
  /** 0 to 1, of what the question could be answered with at best. */
  score: number;
  start: number;
  end: number;
}
