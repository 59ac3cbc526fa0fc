import { ApiSchema, PartialType, PickType } from '@nestjs/swagger';
import { type SavedViewEntity, VIEW_SCREENS, type ViewScreen } from '@app/workspace';
import { Flag, Id, Name, OneOf, Text, Timestamp } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

const SCREEN = { description: 'List of the console that the view filters.', example: 'runs' };

export class ListSavedViewsQuery extends PageQuery {
  @OneOf(VIEW_SCREENS, { optional: true, ...SCREEN }) screen?: ViewScreen;
}

@ApiSchema({ description: 'A view to save.' })
export class CreateSavedViewBody {
  @OneOf(VIEW_SCREENS, SCREEN) screen: ViewScreen;
  @Name({ maxLength: 100, description: 'Name.', example: 'Failed this week' }) name: string;
  @Text({
    maxLength: 4_000,
    pattern: /^(?!\?)[^\p{Cc}\s]{0,4000}$/u,
    message: 'query must be the query of an address without `?`, of at most 4,000 characters',
    description: 'Filters, as the query of the list.',
    example: 'status=failed&since=7d',
  })
  query: string;
  @Flag({ optional: true, default: false, description: 'Whether all members see the view.' }) shared?: boolean;
}

@ApiSchema({ description: 'The fields of a view to change.' })
export class ChangeSavedViewBody extends PartialType(
  PickType(CreateSavedViewBody, ['name', 'query', 'shared'] as const),
) {}

@ApiSchema({ name: 'SavedView', description: 'Filters of a list of the console under a name.' })
export class SavedViewResource {
  @Id('savedView') id: string;
  @OneOf(VIEW_SCREENS, SCREEN) screen: ViewScreen;
  @Text({ description: 'Name.', example: 'Failed this week' }) name: string;
  @Text({ description: 'Filters, as the query of the list.', example: 'status=failed&since=7d' }) query: string;
  @Flag({ description: 'Whether all members see the view.' }) shared: boolean;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

export function presentSavedView({ id, screen, name, query, memberId, createdAt }: SavedViewEntity): SavedViewResource {
  return { id, screen, name, query, shared: memberId === null, created_at: createdAt.toISOString() };
}
