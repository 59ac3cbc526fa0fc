export interface S3Settings {
  bucket: string;
  endpoint: string | undefined;
  region: string;
  prefix: string;
  /** The bucket is in the path of the URL and not in its host name. */
  usesPathStyle: boolean;
}
