import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

const MIB = 1024 * 1024;
const HOUR_MILLIS = 3_600_000;

export const filesConfig = defineDerivedConfig(
  {
    title: 'Files',
    readBy: ['api', 'worker'],
    settings: {
      maxFileBytes: setting.integer('MAX_FILE_BYTES', {
        default: 100 * MIB,
        min: MIB,
        max: 5 * 1024 * MIB,
        unit: 'bytes',
        description: 'Maximum size of one file.',
      }),
      workspaceFileBytes: setting.integer('WORKSPACE_FILE_BYTES', {
        default: 10 * 1024 * MIB,
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        unit: 'bytes',
        description: 'Maximum size of all files of one workspace together. 0 means no limit.',
      }),
      maxConcurrentUploads: setting.integer('MAX_CONCURRENT_UPLOADS', {
        default: 20,
        min: 1,
        max: 10_000,
        unit: 'uploads',
        description: 'Uploads of files that one api process receives at the same time.',
        readBy: ['api'],
      }),
      unusedHours: setting.integer('FILE_UNUSED_HOURS', {
        default: 24,
        min: 1,
        max: 720,
        unit: 'hours',
        description: 'Hours until an uploaded file is deleted, unless the upload asks for another time.',
      }),
    },
  },
  ({ unusedHours, ...values }) => ({ ...values, unusedMillis: unusedHours * HOUR_MILLIS }),
);
export type FilesConfig = ConfigOf<typeof filesConfig>;
