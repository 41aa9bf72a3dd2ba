import { ResourceVersionEntity } from '../../../../platform/metadata/resources/resource.entity.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The target had the resource once and deleted it. */
export const DELETED_IN_TARGET: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['use_source', 'skip'],
  async inCandidate({ em, source, before, isDeliberate, input: { targetCode: environment } }) {
    if (!source || before || isDeliberate) return [];
    const [last] = await em.find(
      ResourceVersionEntity,
      { environment, pid: source.pid },
      { orderBy: { id: 'desc' }, limit: 1 },
    );
    if (last?.content !== null) return [];
    const details = { deletedAt: last.updatedAt, deletedBy: last.updatedBy };
    return [{ message: 'The target had it and deleted it', details }];
  },
};
