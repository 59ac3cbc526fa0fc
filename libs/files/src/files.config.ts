import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';
import type { S3Settings } from './storage/s3-settings.js';

const MIB = 1024 * 1024;
const HOUR_MILLIS = 3_600_000;
const DAYS = { default: 30, min: 0, max: 36_500 };
const SCANNER = /^clamd:\/\/(?<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(?<port>\d{1,5})$/;

export const filesConfig = defineDerivedConfig(
  {
    title: 'Files',
    readBy: ['api', 'worker'],
    settings: {
      storage: setting.oneOf('FILE_STORAGE', {
        values: ['disk', 's3'],
        default: 'disk',
        description:
          'Place of the bytes of files: the folder `files` of DATA_DIR, or a bucket of S3 or of a compatible server. ' +
          'The credentials are those that the AWS SDK finds, for example AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. ' +
          'A change does not move existing files.',
      }),
      bucket: setting.text('S3_BUCKET', {
        allowed: 'a name',
        description: 'Name of the bucket. Required with `FILE_STORAGE=s3`.',
      }),
      endpoint: setting.url('S3_ENDPOINT', {
        schemes: ['https', 'http'],
        secret: false,
        defaultNote: 'AWS',
        description: 'Address of a server that is compatible with S3.',
      }),
      region: setting.matching('S3_REGION', {
        pattern: /^[A-Za-z0-9-]{1,64}$/,
        allowed: 'a name',
        default: 'us-east-1',
        description: 'Region of the bucket.',
      }),
      prefix: setting.matching('S3_PREFIX', {
        pattern: /^[A-Za-z0-9._/-]{0,200}$/,
        allowed: 'letters, digits and . _ / -',
        default: '',
        description: 'Text before the names of all objects, for example `agents/`.',
      }),
      pathStyle: setting.oneOf('S3_PATH_STYLE', {
        values: ['auto', 'true', 'false'],
        default: 'auto',
        description:
          'Whether the bucket is in the path of the address and not in its host name. `auto`: with S3_ENDPOINT only.',
      }),
      scanner: setting.text('FILE_SCAN', {
        allowed: 'clamd://host:port',
        defaultNote: 'none',
        description:
          'Address of clamd, which scans each file while it arrives. Files that it rejects are not stored. While it does ' +
          'not answer, no file is accepted.',
      }),
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
      retentionDays: setting.integer('FILE_RETENTION_DAYS', {
        ...DAYS,
        unit: 'days',
        defaultNote: 'TRACE_RETENTION_DAYS',
        description: 'Days after the end of the last run that refers to a file until it is deleted. 0 means never.',
      }),
    },
  },
  (
    { storage, bucket, endpoint, region, prefix, pathStyle, scanner, unusedHours, retentionDays, ...values },
    reader,
  ) => {
    if (storage === 's3' && bucket === undefined) reader.reject('S3_BUCKET', undefined, 'a name, with FILE_STORAGE=s3');
    const address = scanner === undefined ? undefined : SCANNER.exec(scanner)?.groups;
    if (scanner !== undefined && !address) reader.reject('FILE_SCAN', scanner, 'clamd://host:port');
    const usesPathStyle = pathStyle === 'auto' ? endpoint !== undefined : pathStyle === 'true';
    const settings: S3Settings = { bucket: bucket ?? '', endpoint, region, prefix, usesPathStyle };
    return {
      ...values,
      /** 0 means that the file stays. */
      retentionDays:
        reader.text('FILE_RETENTION_DAYS') === undefined ? reader.integer('TRACE_RETENTION_DAYS', DAYS) : retentionDays,
      unusedMillis: unusedHours * HOUR_MILLIS,
      s3: storage === 's3' ? settings : undefined,
      scanner: address && { host: (address.host ?? '').replace(/^\[|\]$/g, ''), port: Number(address.port) },
    };
  },
);
export type FilesConfig = ConfigOf<typeof filesConfig>;
