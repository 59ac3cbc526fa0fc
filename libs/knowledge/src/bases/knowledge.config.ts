import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const knowledgeConfig = defineDerivedConfig(
  {
    title: 'Knowledge',
    readBy: ['api'],
    settings: {
      regions: setting.list('REGIONS', {
        accepts: (name) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(name),
        allowed: 'names such as eu-west, separated by commas',
        defaultNote: '`local`',
        description: 'Regions in which a knowledge base can be created. The first region is the default.',
      }),
      // The setting cannot exceed 100 MiB, because the process that extracts the text has half a gigabyte of memory.
      maxUploadBytes: setting.integer('MAX_UPLOAD_BYTES', {
        default: 52_428_800,
        min: 65_536,
        max: 104_857_600,
        unit: 'bytes',
        readBy: ['api', 'worker'],
        description:
          'Maximum size of one document that is pushed into a source, and of a file whose text is read. A worker holds ' +
          'a document while it reads its text.',
      }),
    },
  },
  ({ regions, maxUploadBytes }) => ({
    maxUploadBytes,
    regions: regions.length > 0 ? [...new Set(regions)] : ['local'],
  }),
);
export type KnowledgeConfig = ConfigOf<typeof knowledgeConfig>;
