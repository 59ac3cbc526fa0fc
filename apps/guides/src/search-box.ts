import MiniSearch, { type SearchResult } from 'minisearch';
import { excerptOf } from './excerpt.js';
import { type FoundSection, SEARCH_OPTIONS } from './search-options.js';

const MAX_RESULTS = 12;
const SHORTEST_FUZZY_WORD = 5;
const QUERY = {
  prefix: true,
  fuzzy: (word: string): number => (word.length < SHORTEST_FUZZY_WORD ? 0 : 0.2),
  boost: { heading: 4, page: 2 },
};

type Found = Pick<SearchResult, 'terms'> & FoundSection;

/** Search of the guides. Loads the index when a person first uses the search. */
export class SearchBox {
  private readonly input: HTMLInputElement;
  private readonly panel: HTMLElement;
  private readonly status: HTMLElement;
  private readonly list: HTMLElement;
  private loading: Promise<MiniSearch<FoundSection>> | undefined;

  constructor(private readonly box: HTMLElement) {
    this.input = child(box, 'input');
    this.panel = child(box, '.results');
    this.status = child(box, '[role="status"]');
    this.list = child(box, 'ol');
  }

  start(): void {
    this.box.hidden = false;
    this.input.addEventListener('focus', () => void this.load().catch(() => undefined));
    this.input.addEventListener('input', () => void this.update());
    this.box.addEventListener('keydown', (event) => this.onKey(event));
    this.box.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !this.box.contains(relatedTarget)) this.panel.hidden = true;
    });
    this.input.addEventListener('focus', () => void this.update());
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      this.input.focus();
    });
    // A result may be a section of the current page. The browser then loads no new page, so this listener closes the
    // results.
    this.list.addEventListener('click', () => (this.panel.hidden = true));
  }

  private load(): Promise<MiniSearch<FoundSection>> {
    this.loading ??= fetchIndex(this.box.dataset.index ?? '').catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async update(): Promise<void> {
    const query = this.input.value.trim();
    this.panel.hidden = query === '';
    if (query === '') return;
    try {
      const index = await this.load();
      // If the person has changed the text while the index was loading, the results are outdated.
      if (query === this.input.value.trim()) this.show(searchSections(index, query));
    } catch {
      this.list.replaceChildren();
      this.status.textContent = 'The search index could not be loaded. Try again.';
    }
  }

  private show(results: readonly Found[]): void {
    this.list.replaceChildren(...results.slice(0, MAX_RESULTS).map(entryOf));
    this.status.textContent = countOf(results.length);
  }

  /**
   * Handles keys in the search. The arrow keys move through the results, Enter opens the first result, and Escape
   * closes the results.
   */
  private onKey(event: KeyboardEvent): void {
    const links = [...this.list.querySelectorAll('a')];
    const position = links.findIndex((link) => link === document.activeElement);
    if (event.key === 'Escape') {
      this.input.focus();
      this.panel.hidden = true;
    } else if (event.key === 'Enter' && position === -1) links[0]?.click();
    else if (event.key === 'ArrowDown') (links[position + 1] ?? links[position])?.focus();
    else if (event.key === 'ArrowUp') (links[position - 1] ?? this.input).focus();
    else return;
    if (event.key !== 'Enter') event.preventDefault();
  }
}

async function fetchIndex(address: string): Promise<MiniSearch<FoundSection>> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} returned ${response.status}.`);
  return MiniSearch.loadJSON<FoundSection>(await response.text(), SEARCH_OPTIONS);
}

/**
 * Returns the sections that contain all words. If there are none, returns the sections that contain at least one word.
 */
function searchSections(index: MiniSearch<FoundSection>, query: string): Found[] {
  const strict = index.search(query, { ...QUERY, combineWith: 'AND' });
  return (strict.length > 0 ? strict : index.search(query, QUERY)) as (SearchResult & FoundSection)[];
}

function countOf(results: number): string {
  if (results > MAX_RESULTS) return `The first ${MAX_RESULTS} of ${results} results`;
  return results === 0 ? 'No results' : `${results} ${results === 1 ? 'result' : 'results'}`;
}

/** Returns the element of one result. Inserts all texts as text, never as HTML. */
function entryOf({ id, page, heading, text, terms }: Found): HTMLElement {
  const link = element('a', [
    element('strong', [heading === '' ? page : heading]),
    ...(heading === '' ? [] : [element('span', [page])]),
    element(
      'small',
      excerptOf(text, terms).map((part) => (part.isMatch ? element('mark', [part.text]) : part.text)),
    ),
  ]);
  link.setAttribute('href', id);
  return element('li', [link]);
}

function element(tag: string, content: readonly (Node | string)[]): HTMLElement {
  const created = document.createElement(tag);
  created.append(...content);
  return created;
}

function child<T extends HTMLElement>(parent: HTMLElement, selector: string): T {
  const found = parent.querySelector<T>(selector);
  if (!found) throw new Error(`The search box has no ${selector}.`);
  return found;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
