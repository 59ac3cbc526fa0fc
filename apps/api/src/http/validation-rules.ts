import { getMetadataStorage, type MetadataStorage } from 'class-validator';

/**
 * Makes class-validator look up the rules of a class once. Without it, each validated request searches the rules of
 * all classes in the process for parent classes. Decorators add rules only while modules load, before the first
 * request. Rules for validation groups are not cached, because the service has none.
 */
export function cacheValidationRules(storage: MetadataStorage = getMetadataStorage()): void {
  const rulesOf = new Map<unknown, ReturnType<MetadataStorage['getTargetValidationMetadatas']>>();
  const search = storage.getTargetValidationMetadatas.bind(storage);
  storage.getTargetValidationMetadatas = (shape, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) return search(shape, schema, always, strictGroups, groups);
    const cached = rulesOf.get(shape);
    if (cached) return cached;
    const rules = search(shape, schema, always, strictGroups, groups);
    rulesOf.set(shape, rules);
    return rules;
  };
}
