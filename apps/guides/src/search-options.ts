import type { Options } from 'minisearch';

/** A section of a page in the search index. */
export interface FoundSection {
  /** URL of the section. */
  id: string;
  page: string;
  /** Heading of the section. Empty for the text before the first heading of the page. */
  heading: string;
  text: string;
}

/**
 * Options of the search index. The build and the browser must use the same options, because the browser loads the index
 * that the build has written.
 */
export const SEARCH_OPTIONS: Options<FoundSection> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'text'],
};
