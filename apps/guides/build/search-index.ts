import MiniSearch from 'minisearch';
import { type FoundSection, SEARCH_OPTIONS } from '../src/search-options.js';
import { HOME } from './guide-files.js';
import type { RenderedGuide } from './render-guide.js';

/** Returns the search index of all sections as JSON. */
export function searchIndex(guides: readonly RenderedGuide[]): string {
  const index = new MiniSearch<FoundSection>(SEARCH_OPTIONS);
  for (const { path, title, sections } of guides)
    index.addAll(
      sections.map(({ heading, text }) => ({
        id: heading.level === 1 ? HOME + path : `${HOME}${path}#${heading.id}`,
        page: title,
        heading: heading.level === 1 ? '' : heading.text,
        text,
      })),
    );
  return JSON.stringify(index);
}
