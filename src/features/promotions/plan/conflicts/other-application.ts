import { text } from '../../../../foundation/i18n/text.ts';
import { applicationOf } from '../../../../platform/metadata/resources/common-content.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The files of an application name a resource of another one. */
export const OTHER_APPLICATION: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: [],
  inResource({ before, input: { application } }) {
    const owner = before && applicationOf(before);
    if (application === undefined || !owner || owner === application) return [];
    const message = text('It belongs to the application {owner}, and these are the files of {application}', {
      owner,
      application,
    });
    return [{ message, details: { owner, application } }];
  },
};
