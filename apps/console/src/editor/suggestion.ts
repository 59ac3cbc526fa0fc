import type { CodeSuggestion } from '../ui/code-editor.js';

export type Suggestion = CodeSuggestion;

export interface Suggestions {
  /** Offset of the text that an entry replaces. */
  from: number;
  items: readonly Suggestion[];
}
