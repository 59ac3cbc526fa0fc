import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas } from '../data/api.js';
import { Checklist, TextField } from '../ui/field.js';
import { Disclosure } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './knowledge.module.css';
import { baseKey } from './knowledge-queries.js';
import type { Source } from './knowledge-types.js';
import type { FormTexts } from './schema-form.js';
import { toggledLines } from './scope-lines.js';

/** Maximum number of checkboxes that are shown at a time. The filter field finds the options without a checkbox. */
const MAX_SHOWN = 50;

export interface ScopePickerProps {
  source: Source;
  texts: FormTexts;
  onChange: (texts: FormTexts) => void;
}

/** Lists the folders, databases or repositories of the provider, and writes the chosen ones into the form. */
export function ScopePicker({ source, ...rest }: ScopePickerProps): ReactNode {
  if (source.authorization !== 'authorized') return null;
  return (
    <Disclosure summary="Choose from a list">
      <ScopeList source={source} {...rest} />
    </Disclosure>
  );
}

function ScopeList({ source, texts, onChange }: ScopePickerProps): ReactNode {
  const [filter, setFilter] = useState('');
  const { data, error, isPending } = useQuery({
    queryKey: [...baseKey(source.knowledge_base), 'source', source.id, 'scopes'],
    queryFn: () => aas.sources.scopes(source.knowledge_base, source.id),
    staleTime: 60_000,
    retry: false,
  });
  if (isPending) return <p aria-busy="true">The provider is asked for its list.</p>;
  if (error) return <ProblemAlert error={error} />;
  if (data.field === null) return <p>This connector cannot list what it can read. Type the entries.</p>;
  const pointer = `/${data.field}`;
  const text = texts[pointer] ?? '';
  const wanted = filter.trim().toLowerCase();
  const found = data.data.filter(({ id, title }) => `${title}\n${id}`.toLowerCase().includes(wanted));
  const options = found.slice(0, MAX_SHOWN).map(({ id, title }) => ({ value: id, label: title }));
  const chosen = text.split('\n').map((line) => line.trim());
  return (
    <div className={styles.fields}>
      <TextField label="Filter the list" value={filter} onChange={setFilter} />
      {options.length === 0 ? (
        <p>No results</p>
      ) : (
        <Checklist
          label={data.field}
          options={options}
          chosen={chosen}
          onChange={(values) => onChange({ ...texts, [pointer]: toggledLines(text, options, values) })}
          hint={hintOf(found.length, data.is_complete)}
        />
      )}
    </div>
  );
}

function hintOf(found: number, isComplete: boolean): string | undefined {
  const hidden = found > MAX_SHOWN ? `${found - MAX_SHOWN} more match. Filter the list to see them. ` : '';
  const missing = isComplete
    ? ''
    : 'The provider has more entries than are listed. Type the ids of others in the field.';
  return `${hidden}${missing}`.trim() || undefined;
}
