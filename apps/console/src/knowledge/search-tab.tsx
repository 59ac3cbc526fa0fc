import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, type SubmitEvent, useState } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Card, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { counted } from './base-health.js';
import { Address } from './document-view.js';
import styles from './knowledge.module.css';
import { baseKey } from './knowledge-queries.js';
import type { BaseTabProps, KnowledgeBase, Passage } from './knowledge-types.js';
import { matchedParts, matchedWords } from './matched-words.js';

/**
 * Searches the knowledge base like a retrieval step of a run, but does not check which agents may read it. The query is
 * part of the page URL.
 */
export function SearchTab({ id, base }: BaseTabProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const query = one(search.query) ?? '';
  const topK = one(search.top_k) ?? '';
  const key = [...baseKey(id), 'search', query, topK];
  const found = useQuery({
    queryKey: key,
    queryFn: () => aas.knowledgeBases.search(id, searchBody(query, topK)),
    enabled: query !== '',
  });
  const isPending = query !== '' && found.isPending;
  return (
    <div className={styles.stack} aria-busy={isPending}>
      <SearchForm
        id={id}
        query={query}
        topK={topK}
        onRepeat={() => void queryClient.invalidateQueries({ queryKey: key })}
      />
      <p className={styles.second}>{methodText(base)}</p>
      <ProblemAlert error={found.error} />
      {found.data && <Results base={id} query={query} passages={found.data.data} />}
    </div>
  );
}

/**
 * Returns the body of the search request. If `topK` is not a number, it is sent as text, and the API reports the error.
 */
function searchBody(query: string, topK: string): { query: string } {
  const limit = Number(topK);
  return { query, ...(topK !== '' && { top_k: Number.isNaN(limit) ? topK : limit }) };
}

interface SearchFormProps {
  id: string;
  query: string;
  topK: string;
  onRepeat: () => void;
}

function SearchForm({ id, query, topK, onRepeat }: SearchFormProps): ReactNode {
  const [text, setText] = useState(query);
  const [limit, setLimit] = useState(topK);
  const [shown, setShown] = useState({ query, topK });
  // If the query in the page URL has changed, the form shows the new query. This happens when the person goes back in
  // the history.
  if (shown.query !== query || shown.topK !== topK) {
    setShown({ query, topK });
    setText(query);
    setLimit(topK);
  }
  const navigate = useNavigate();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text === query && limit === topK) onRepeat();
    else
      void navigate({
        to: '/knowledge/$id',
        params: { id },
        search: { tab: 'search', query: text, ...(limit !== '' && { top_k: limit }) },
      });
  };
  return (
    <form role="search" className={styles.searchForm} onSubmit={submit} noValidate>
      <TextField
        label="Query"
        value={text}
        onChange={setText}
        hint="Passages must contain text in quotation marks exactly as written."
      />
      <TextField label="Passages" value={limit} onChange={setLimit} inputMode="numeric" hint="At most" />
      <Button type="submit" look="primary" refusal={text === '' ? 'Enter a query first.' : null}>
        Search
      </Button>
    </form>
  );
}

function methodText({ settings }: KnowledgeBase): string {
  const { mode = 'keyword', top_k: topK = 8, min_score: minimum = 0 } = settings.retrieval ?? {};
  const how = {
    keyword:
      'Passages match if they contain words of the query. Rare words and words in titles and headings count more.',
    semantic: 'Passages match by meaning. The vectors of the query and the passages are compared.',
    hybrid: 'Passages match by words and by meaning. Both rankings are merged.',
  }[mode];
  const least = minimum > 0 ? ` Passages with a score below ${minimum} are not returned.` : '';
  return `${how} A run receives ${counted(topK, 'passage')} unless its step sets another number.${least} This search ignores grants.`;
}

function Results(props: { base: string; query: string; passages: readonly Passage[] }): ReactNode {
  const { base, query, passages } = props;
  return (
    <Card title={passages.length === 0 ? 'Passages' : counted(passages.length, 'passage')} flush>
      {passages.length === 0 ? (
        <Empty title="No results">
          <p>No passage matches. Try other words, or check whether the sources have been synced.</p>
        </Empty>
      ) : (
        <ol className={styles.results} aria-label="Results">
          {passages.map((passage) => (
            <Result key={`${passage.document.id} ${passage.chunk}`} base={base} query={query} passage={passage} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Result({ base, query, passage }: { base: string; query: string; passage: Passage }): ReactNode {
  const { document, chunk, heading, text, score } = passage;
  const words = matchedWords(query, `${document.title} ${heading} ${text}`);
  return (
    <li>
      <div className={styles.resultHead}>
        <Link
          to="/knowledge/$id"
          params={{ id: base }}
          search={{ tab: 'documents', document: document.id, chunk: String(chunk) }}
        >
          {document.title}
        </Link>
        <span className={styles.score}>
          score {score.toFixed(2)}
          <meter aria-hidden value={score} min={0} max={1} />
        </span>
      </div>
      {heading !== '' && <p className={styles.second}>{heading}</p>}
      <p className={styles.passage}>
        {matchedParts(text, words).map(({ text: part, isMatch }, n) =>
          isMatch ? <mark key={n}>{part}</mark> : <Fragment key={n}>{part}</Fragment>,
        )}
      </p>
      <p className={styles.second}>
        {words.length > 0 ? `Words of the query here: ${words.join(', ')}. ` : ''}
        Passage #{chunk}, characters {passage.start} to {passage.end} of version {document.version}
        {document.url !== null && (
          <>
            {' · '}
            <Address url={document.url} />
          </>
        )}
      </p>
    </li>
  );
}
