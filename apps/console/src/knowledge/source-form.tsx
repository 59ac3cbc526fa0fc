import { type ReactNode, useState } from 'react';
import { aas } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { baseKey, useConnectors } from './knowledge-queries.js';
import styles from './knowledge.module.css';
import { formOf, patchOfForm, textsOf } from './schema-form.js';
import { SchemaFields } from './schema-fields.js';
import { ScopePicker } from './scope-picker.js';
import { ScheduleFields, scheduleOf, scheduleTexts } from './schedule-fields.js';
import type { SourceProps } from './knowledge-types.js';

export function ChangeSource({ base, source }: SourceProps): ReactNode {
  const refusal = useRefusal('knowledge:write');
  return (
    <DialogButton name="Change source" refusal={refusal}>
      {(close) => <ChangeForm base={base} source={source} onClose={close} />}
    </DialogButton>
  );
}

function ChangeForm({ base, source, onClose }: SourceProps & { onClose: () => void }): ReactNode {
  const form = useSourceForm(source);
  return (
    <ActionForm
      action="Change source"
      run={() => aas.sources.update(base, source.id, form.change())}
      changes={baseKey(base)}
      onClose={onClose}
    >
      {(error) => (
        <>
          {form.fields(error)}
          <p className={styles.second}>
            The next sync uses the new settings. It deletes documents that the source no longer covers.
          </p>
        </>
      )}
    </ActionForm>
  );
}

/** Returns the form fields of a source, and the request body with the values that the person has changed. */
export function useSourceForm(source: SourceProps['source']): {
  fields: (error: unknown) => ReactNode;
  change: () => Parameters<typeof aas.sources.update>[2];
} {
  const { connector, config, schedule } = source;
  const schema = useConnectors().data?.data.find(({ kind }) => kind === connector)?.config_schema;
  const entries = formOf(schema);
  const before = textsOf(entries, config);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [times, setTimes] = useState(() => scheduleTexts(schedule));
  const texts = { ...before, ...typed };
  const patch = patchOfForm(entries, before, texts);
  const wanted = scheduleOf(times);
  return {
    fields: (error) => (
      <>
        <SchemaFields entries={entries} texts={texts} onChange={setTyped} error={error} at="/config" />
        <ScopePicker source={source} texts={texts} onChange={setTyped} />
        <ScheduleFields schedule={times} onChange={setTimes} error={error} />
      </>
    ),
    change: () => ({
      ...(Object.keys(patch).length > 0 && { config: patch }),
      ...(JSON.stringify(wanted) !== JSON.stringify(schedule) && { schedule: wanted }),
    }),
  };
}
