import { getMetadataStorage, IsString, type MetadataStorage } from 'class-validator';

import { ListRunsQuery } from '../runs/run-filters.api.js';
import { StartRunBody } from '../runs/runs.api.js';
import { PageQuery } from './list-pages.service.js';
import { cacheValidationRules } from './request-validation.js';

class Named {
  @IsString() name: string;
}

class Described extends Named {
  @IsString() description: string;
}

/** Counts how often class-validator searches the rules of this process. */
function countingStorage(): { storage: MetadataStorage; searches: () => number } {
  let searches = 0;
  const storage = Object.create(getMetadataStorage()) as MetadataStorage;
  storage.getTargetValidationMetadatas = (...args) => {
    searches += 1;
    return getMetadataStorage().getTargetValidationMetadatas(...args);
  };
  return { storage, searches: () => searches };
}

describe('the cached rules of a request class', () => {
  it.each([Named, Described, PageQuery, ListRunsQuery, StartRunBody, Object])(
    'are those of class-validator',
    (shape) => {
      const { storage } = countingStorage();
      cacheValidationRules(storage);
      const wanted = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
      expect(storage.getTargetValidationMetadatas(shape, '', false, false)).toEqual(wanted);
      expect(storage.getTargetValidationMetadatas(shape, '', false, false)).toEqual(wanted);
    },
  );

  it('are searched once for each class', () => {
    const { storage, searches } = countingStorage();
    cacheValidationRules(storage);
    for (const shape of [Named, Described, Named, Described])
      storage.getTargetValidationMetadatas(shape, '', false, false);
    expect(searches()).toBe(2);
  });

  it('are searched each time for a validation group', () => {
    const { storage, searches } = countingStorage();
    cacheValidationRules(storage);
    storage.getTargetValidationMetadatas(Named, '', false, false, ['creation']);
    storage.getTargetValidationMetadatas(Named, '', false, false, ['creation']);
    expect(searches()).toBe(2);
  });
});
