import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { MultiComboField } from '../ui/combo-box.js';
import { Disclosure } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { baseKey } from './knowledge-queries.js';
import type { Source } from './knowledge-types.js';
import type { FormTexts } from './schema-form.js';

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
  const lines = (texts[pointer] ?? '').split('\n').map((line) => line.trim());
  return (
    <MultiComboField
      label="Entries of the provider"
      noun="entry"
      chosen={lines.filter((line) => line !== '')}
      onChange={(chosen) => onChange({ ...texts, [pointer]: chosen.join('\n') })}
      options={data.data.map(({ id, title }) => ({ value: id, label: title }))}
      hint={
        data.is_complete ? undefined : 'The provider has more entries. Type the ids of the others in the field above.'
      }
    />
  );
}
