import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { FileLinksService, FilesService, type LinkedFile } from '@app/files';
import { DomainError } from '@app/kernel';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { sendFile } from './file-answer.js';

/** Sends files to callers whose only credential is the token of a link. */
@Injectable()
export class LinkedFilesService {
  constructor(
    private readonly links: FileLinksService,
    private readonly files: FilesService,
    private readonly limits: RequestLimitsService,
  ) {}

  /** @throws DomainError `not_found`, `rate_limited`, and the errors of {@link sendFile} */
  async send(request: ApiRequest, response: Response, token: string): Promise<void> {
    const { file, isOnce } = await this.open(request, response, token);
    await sendFile(request, response, this.files, file, { isLink: true, isWhole: isOnce });
  }

  /** Guessing tokens is as limited as guessing keys. */
  private async open(request: ApiRequest, response: Response, token: string): Promise<LinkedFile> {
    try {
      return await this.links.open(token, request.method !== 'HEAD');
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') await this.limits.refuse(request, response);
      throw error;
    }
  }
}
