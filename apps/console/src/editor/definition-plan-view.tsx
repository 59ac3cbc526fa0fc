import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useMemo, useRef } from 'react';
import { type PlanGroup, type PlanNode, planOf } from '../plan/definition-plan.js';
import styles from './editor.module.css';
import { PlanIcon } from '../plan/plan-icon.js';

interface ParsedDefinition {
  groups: readonly PlanGroup[];
  definition: unknown;
  /** True if the text itself is not valid YAML. */
  isLast: boolean;
}

const NONE: readonly PlanGroup[] = [];

/**
 * Returns the definition in the text, and its plan. If the text is not valid YAML, returns the definition and the plan
 * of the last valid text.
 */
export function useParsedDefinition(text: string): ParsedDefinition {
  const { data: reader } = useQuery({
    queryKey: ['module', 'definition-text'],
    queryFn: () => import('./definition-text.js'),
    staleTime: Infinity,
  });
  const rested = useDeferredValue(text);
  const last = useRef<ParsedDefinition>({ groups: NONE, definition: undefined, isLast: false });
  return useMemo(() => {
    const definition = reader?.readDefinition(rested);
    if (definition === undefined)
      return { ...last.current, isLast: reader !== undefined && last.current.groups.length > 0 };
    last.current = { groups: planOf(definition), definition, isLast: false };
    return last.current;
  }, [reader, rested]);
}

/** Returns the id of the step that contains the cursor. */
export function useStepAt(text: string, cursor: number): string | undefined {
  const { data: places } = useQuery({
    queryKey: ['module', 'definition-place'],
    queryFn: () => import('./definition-place.js'),
    staleTime: Infinity,
  });
  const restedText = useDeferredValue(text);
  const restedCursor = useDeferredValue(cursor);
  return useMemo(() => places?.stepAt(restedText, restedCursor), [places, restedText, restedCursor]);
}

/** Shows the plan as nested lists, so that screen readers can read its structure. */
export function DefinitionPlanView({ groups, isLast }: Pick<ParsedDefinition, 'groups' | 'isLast'>): ReactNode {
  if (groups.length === 0)
    return <p className={styles.quiet}>Add a model or steps to the definition to see the plan here.</p>;
  return (
    <>
      {isLast && (
        <p role="status" className={styles.quiet}>
          The text is not valid YAML. This is the plan of the last valid text.
        </p>
      )}
      <div className={isLast ? styles.former : undefined}>
        {groups.map(({ title, nodes }) => (
          <div key={title} className={styles.plan}>
            <h3>{title}</h3>
            <Nodes nodes={nodes} label={title} />
          </div>
        ))}
      </div>
    </>
  );
}

function Nodes({ nodes, label }: { nodes: readonly PlanNode[]; label: string }): ReactNode {
  return (
    <ol aria-label={label}>
      {nodes.map((node, index) => (
        <Node key={`${index} ${node.name}`} node={node} />
      ))}
    </ol>
  );
}

function Node({ node: { kind, name, detail, notes, children } }: { node: PlanNode }): ReactNode {
  return (
    <li data-kind={kind}>
      <div className={styles.node}>
        <PlanIcon kind={kind} />
        <span className={styles.nodeName}>{name === '' ? kind : name}</span>
        {kind !== 'branch' && <span className={styles.nodeKind}>{kind}</span>}
        {detail !== '' && <code>{detail}</code>}
      </div>
      {notes.map((note) => (
        <div key={note} className={styles.nodeNote}>
          {note}
        </div>
      ))}
      {children.length > 0 && <Nodes nodes={children} label={`Inside of ${name === '' ? kind : name}`} />}
    </li>
  );
}
