import type { Options } from 'minisearch';

/** A part of a page that the search finds. */
export interface FoundSection {
  /** Address of the section. */
  id: string;
  page: string;
  /** Empty for the text before the first section of a page. */
  heading: string;
  text: string;
}

/** The build and the browser must use the same options, because the browser loads the index of the build. */
export const SEARCH_OPTIONS: Options<FoundSection> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'text'],
};
